import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Engine } from '../vitest/engine.ts'
import type { Delivery, Order } from './suites-process.ts'

const program = fileURLToPath(new URL('./suites-process.ts', import.meta.url))

/** Engine of all tests of a process: its suites stay loaded. It reports no progress and takes no interrupt. */
export const sharedEngine: Engine = {
  run(collector, setup, _signal, titles) {
    const process = suitesProcess()
    const id = nextId++
    return new Promise((resolve, reject) => {
      const onExit = () => reject(new Error('the process of the suites has ended'))
      process.once('exit', onExit)
      process.on('message', function take(delivery: Delivery) {
        if (delivery.id !== id) return
        process.off('message', take).off('exit', onExit)
        const { scenarios, results, conditions, faults, ...rest } = delivery.collected
        collector.scenarios.push(...scenarios)
        collector.results.push(...results)
        collector.conditions.push(...conditions)
        collector.faults.push(...faults)
        Object.assign(collector, rest)
        Object.assign(setup.state, delivery.state)
        resolve(delivery.isStopped)
      })
      process.send({ id, setup, titles } satisfies Order)
    })
  },
  async close() {
    suites?.disconnect()
    suites = undefined
  },
}

let nextId = 0
let suites: ChildProcess | undefined

function suitesProcess(): ChildProcess {
  suites ??= fork(program, { serialization: 'advanced' }).setMaxListeners(100)
  return suites
}
