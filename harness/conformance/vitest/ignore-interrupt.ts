/**
 * Loaded by the process of the suites before anything else. Ctrl-C reaches all processes of a terminal; the
 * one that started the run decides what is cancelled.
 */
process.on('SIGINT', () => {})
