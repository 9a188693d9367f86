import { type AddressInfo, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { Histogram } from '../metrics/samples/histogram.ts'
import { ClockProbe, startClockProbeServer } from './clock-probe.ts'

it('hears a stamped stream, at most a few hundred stamps a second, none before it was sent', async () => {
  const server = await startClockProbeServer()
  onTestFinished(() => server.close())
  const first = new ClockProbe(server.port)
  await expect.poll(() => Histogram.from(first.end()).count).toBe(0)
  const second = new ClockProbe(server.port)
  await sleep(1000)
  const errors = Histogram.from(second.end())
  expect(errors.count).toBeGreaterThan(0)
  expect(errors.count).toBeLessThan(300)
  expect(errors.minNs).toBeGreaterThanOrEqual(0)
})

it('knows how late a loop is that was busy while the stamp came', async () => {
  const { port, say } = await scripted()
  const first = new ClockProbe(port)
  const socket = await say
  socket.write(`: sent ${process.hrtime.bigint()}\n\n`)
  const until = performance.now() + 300
  while (performance.now() < until);
  await sleep(20)
  const { count, minNs } = Histogram.from(first.end())
  expect(count).toBe(1)
  expect(minNs).toBeGreaterThanOrEqual(250e6)
})

it('reads stamps however they are cut, and several at once', async () => {
  const { port, say } = await scripted()
  const first = new ClockProbe(port)
  const socket = await say
  for (const piece of [
    ': se',
    `nt ${process.hrtime.bigint()}`,
    '\n',
    '\n: sent 1\n\n: sent 2\n\n: s',
  ]) {
    socket.write(piece)
    await sleep(20)
  }
  expect(Histogram.from(first.end()).count).toBe(3)
})

it('hears nothing where nobody sings', () => {
  expect(Histogram.from(new ClockProbe(1).end()).count).toBe(0)
})

async function scripted(): Promise<{ port: number; say: Promise<Socket> }> {
  const connected = Promise.withResolvers<Socket>()
  const server = createServer({ noDelay: true }, connected.resolve)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, say: connected.promise }
}
