const lastResorts = ['uncaughtException', 'unhandledRejection'] as const

/**
 * What nobody catches is a fault of the kit; Node would end with 1, which means a violation. While
 * the suites run in this process, their engine listens in place of us, and the report tells of it.
 * @param tell called with each; @param end called where nothing else keeps the process.
 */
export function watchLastResorts(
  tell: (error: unknown) => void,
  end: () => void,
): { readonly seen: boolean } {
  const watch = { seen: false }
  for (const event of lastResorts) {
    process.on(event, (error: unknown) => {
      watch.seen = true
      tell(error)
      // Beside an engine there is a report to be written yet.
      if (process.listenerCount(event) === 1) end()
    })
  }
  return watch
}
