'use strict'

const { existsSync } = require('node:fs')
const { enableCompileCache, getCompileCacheDir } = require('node:module')
const { dirname, join } = require('node:path')
const { pathToFileURL } = require('node:url')
const { setFlagsFromString } = require('node:v8')

// Later runs find the modules compiled, and so do threads and processes that this one starts.
enableCompileCache?.()
const cache = getCompileCacheDir?.()
if (cache) process.env.NODE_COMPILE_CACHE ??= dirname(cache)

// The main thread of a load run only counts; its young generation stays at its first size.
if (['load', 'capacity'].includes(process.argv[2])) {
  setFlagsFromString('--semi-space-growth-factor=1')
}

// A checkout runs from source, whatever an earlier build left behind; the package has no source.
const source = join(__dirname, '..', 'harness', 'cli', 'main.ts')
const compiled = join(__dirname, '..', 'dist', 'harness', 'cli', 'main.js')
const main = existsSync(source) ? source : compiled

const graceMs = 500

/**
 * Ends the process once its output is written. A connection that a server keeps half open, or anything
 * else that is left, does not keep it.
 */
function end(code) {
  process.exitCode = code
  setInterval(() => {
    if (process.stdout.writableLength + process.stderr.writableLength === 0) process.exit()
  }, graceMs).unref()
}

import(pathToFileURL(main).href)
  .then(({ main: run }) => run(process.argv.slice(2)))
  .then(end)
  .catch((error) => {
    console.error('chatgen: internal error, please report it with this stack trace:')
    console.error(error)
    end(4)
  })
