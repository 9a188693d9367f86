/**
 * Loaded by the process of the suites before anything else. Ctrl-C and the end of a terminal reach all of
 * its processes; the one that started the run decides what is cancelled.
 */
for (const signal of ['SIGINT', 'SIGHUP']) process.on(signal, () => {})
