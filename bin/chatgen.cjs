#!/usr/bin/env node
// Plain old JavaScript, so that any Node can parse it and say what is needed.
'use strict'

var fs = require('node:fs')
var path = require('node:path')

var needed = [22, 22]
var root = path.join(__dirname, '..')

var interrupts = ['SIGINT', 'SIGTERM', 'SIGHUP']
var interrupted = 130

function isNewEnough(version) {
  var parts = version.split('.')
  var major = Number(parts[0])
  return major > needed[0] || (major === needed[0] && Number(parts[1]) >= needed[1])
}

/** The Node that a checkout brings along as a dev dependency. */
function ownNode() {
  var file = path.join(root, 'node_modules', 'node', 'bin', 'node')
  return fs.existsSync(file) ? file : undefined
}

/** The environment for another Node, without the options of the caller if that one refuses them. */
function environmentFor(node) {
  var env = Object.assign({}, process.env, { CHATGEN_HANDED_OVER: '1' })
  if (!env.NODE_OPTIONS) return env
  var tried = require('node:child_process').spawnSync(node, ['--version'], { encoding: 'utf8' })
  if (tried.status !== 0) {
    console.error(
      'chatgen: running without NODE_OPTIONS, which the newer Node refuses: ' +
        String(tried.stderr)
          .trim()
          .replace(/^.*?: (?=-)/, ''),
    )
    delete env.NODE_OPTIONS
  }
  return env
}

function handOver(node) {
  var child = require('node:child_process').spawn(
    node,
    [__filename].concat(process.argv.slice(2)),
    {
      stdio: 'inherit',
      env: environmentFor(node),
    },
  )
  onInterrupt((signal) => {
    child.kill(signal)
  })
  child.on('exit', (code, signal) => {
    if (interrupts.indexOf(signal) >= 0) process.exit(interrupted)
    // As a shell says it of one that was killed.
    process.exit(signal ? 128 + require('node:os').constants.signals[signal] : code)
  })
}

function onInterrupt(listener) {
  interrupts.forEach((signal) => {
    var before = process.rawListeners(signal)
    process.on(signal, listener)
    before.forEach((other) => {
      process.off(signal, other)
    })
  })
}

// Nothing has begun yet.
onInterrupt(() => {
  process.exit(interrupted)
})

if (isNewEnough(process.versions.node)) {
  require('./start.cjs')
} else if (ownNode() && !process.env.CHATGEN_HANDED_OVER) {
  handOver(ownNode())
} else {
  console.error(
    'chatgen needs Node ' +
      needed.join('.') +
      ' or newer; this is Node ' +
      process.versions.node +
      '.\n' +
      'In a checkout, `npm ci` brings one along. Elsewhere install it from your system or with\n' +
      '`npm install node@24`, and run chatgen with npx.',
  )
  process.exitCode = 2
}
