/** Scenarios in flight where nothing else is said. */
export const defaultJobs = 4

/** Files of a run in its folder for results. */
export const exchangesName = 'exchanges.ndjson'
export const journalName = 'journal.ndjson'
export const runRecordName = 'run.json'
/** Names the process that writes into the folder. */
export const lockName = '.chatgen.lock'
export const reportName = 'report.json'
