/**
 * Growth of the CPU time of some work whose input becomes sixteen times as long: 16 if the time is linear, 256 if it is
 * quadratic. CPU time hardly depends on the load of the machine.
 */
export function growth(work: (length: number) => void, length: number): number {
  return cpuTime(work, 16 * length) / cpuTime(work, length)
}

/** Microseconds of the fastest of some runs. */
function cpuTime(work: (length: number) => void, length: number): number {
  const times = Array.from({ length: 5 }, () => {
    const before = process.cpuUsage()
    work(length)
    const { user, system } = process.cpuUsage(before)
    return user + system
  })
  return Math.min(...times)
}
