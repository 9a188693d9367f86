'use strict'

const { existsSync } = require('node:fs')
const { enableCompileCache } = require('node:module')
const { join } = require('node:path')
const { pathToFileURL } = require('node:url')

// Later runs find the modules compiled.
enableCompileCache?.()

// A checkout runs from source, whatever an earlier build left behind; the package has no source.
const source = join(__dirname, '..', 'harness', 'cli', 'main.ts')
const compiled = join(__dirname, '..', 'dist', 'harness', 'cli', 'main.js')
const main = existsSync(source) ? source : compiled

import(pathToFileURL(main).href)
  .then(({ main: run }) => run(process.argv.slice(2)))
  .then((code) => {
    process.exitCode = code
  })
  .catch((error) => {
    console.error('chatgen: internal error, please report it with this stack trace:')
    console.error(error)
    process.exitCode = 4
  })
