/** Base of the errors before and around a run; `code` is stable. */
export abstract class ChatgenFailure extends Error {
  abstract readonly code: string
}

/** Usage or configuration: exit code 2. Each problem is one sentence. */
export class ConfigurationError extends ChatgenFailure {
  override readonly name: string = 'ConfigurationError'
  readonly code: string = 'E_CONFIGURATION'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

/**
 * Runs a function, and turns its errors of one class into a ConfigurationError.
 * @param problem a function that returns the problem, or the text before `: MESSAGE`
 * @throws ConfigurationError in place of these errors
 */
export function asConfigurationError<Failure extends Error, Value>(
  kind: new (...parameters: never[]) => Failure,
  run: () => Value,
  problem: string | ((error: Failure) => string) = ({ message }) => message,
): Value {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof kind)) throw error
    throw new ConfigurationError([
      typeof problem === 'string' ? `${problem}: ${error.message}` : problem(error),
    ])
  }
}

/** The target does not answer, is not this service, is busy, or refuses the key: exit code 3. */
export class TargetUnusableError extends ChatgenFailure {
  override readonly name = 'TargetUnusableError'
  readonly code: UnusableCode

  constructor(code: UnusableCode, message: string) {
    super(message)
    this.code = code
  }
}

type UnusableCode = 'E_UNREACHABLE' | 'E_NO_SERVICE' | 'E_BUSY' | 'E_KEY_REFUSED'

/** A discovery exceeded its maximum number of requests; the remaining probes are skipped. */
export class DiscoverySpentError extends ChatgenFailure {
  override readonly name = 'DiscoverySpentError'
  readonly code = 'E_DISCOVERY_SPENT'
}

/** The run was interrupted before anything was judged: exit code 130. */
export class InterruptedError extends ChatgenFailure {
  override readonly name = 'InterruptedError'
  readonly code = 'E_INTERRUPTED'
}
