const lastResorts = ['uncaughtException', 'unhandledRejection'] as const

/**
 * Handles uncaught errors as internal errors: Node would exit with 1, which means a violation. While the
 * suites run in this process, vitest has its own handlers, and the report lists the error.
 * @param tell called with each error; @param end called if no other handler is installed
 */
export function watchLastResorts(
  tell: (error: unknown) => void,
  end: () => void,
): { readonly wasHandled: boolean } {
  const watch = { wasHandled: false }
  for (const event of lastResorts) {
    process.on(event, (error: unknown) => {
      watch.wasHandled = true
      tell(error)
      // While vitest runs, the report is still to be written.
      if (process.listenerCount(event) === 1) end()
    })
  }
  return watch
}
