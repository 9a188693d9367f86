/** Environment variables that make a process fail in its own code at a signal. */
export function failing(statement: string) {
  return beginningWith(`process.on('SIGUSR2',()=>{${statement}})`)
}

/** Run first in the process, and in each of its threads. */
export function beginningWith(script: string) {
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` }
}
