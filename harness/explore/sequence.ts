import { InconclusiveError, RunEndedError } from '../conformance/session/errors.ts'
import { type Operation, StateViolation } from './command.ts'
import { applies, commands } from './commands/index.ts'
import { type Evidence, evidenceOf, type RecordedContext } from './context.ts'
import { forgetChat } from './model.ts'

/** Result of an operation: `skipped` where it makes no sense in this state, `unclear` without a usable answer. */
export type Step =
  | { readonly kind: 'done' | 'skipped' | 'unclear' }
  | { readonly kind: 'violated'; readonly violation: StateViolation }

/** @throws what ends the run: its budget is spent, the target is gone, somebody interrupts it. */
export async function perform(context: RecordedContext, operation: Operation): Promise<Step> {
  const command = commands[operation.command]
  if (command === undefined || !applies(context.model, operation)) return { kind: 'skipped' }
  try {
    await command.run(context, operation)
    return { kind: 'done' }
  } catch (error) {
    if (error instanceof StateViolation) return { kind: 'violated', violation: error }
    if (!(error instanceof InconclusiveError) || error instanceof RunEndedError) throw error
    if (operation.chat !== undefined) context.model = forgetChat(context.model, operation.chat)
    return { kind: 'unclear' }
  }
}

export interface Replay {
  /** Undefined where every operation ended as the model says. */
  readonly violation: StateViolation | undefined
  /** The operations that were carried out, up to the violation. */
  readonly operations: readonly Operation[]
  /** Requests of the operations, and those that show the violation. */
  readonly exchanges: readonly Evidence[]
}

/** Carries a sequence out in fresh chats, up to the first violation. */
export async function replay(
  context: RecordedContext,
  operations: readonly Operation[],
): Promise<Replay> {
  const done: Operation[] = []
  for (const operation of operations) {
    const step = await perform(context, operation)
    if (step.kind === 'skipped') continue
    done.push(operation)
    if (step.kind !== 'violated') continue
    const evidence = [...context.recorded, ...step.violation.evidence.map(evidenceOf)]
    const exchanges = [...new Map(evidence.map((one) => [one.id, one])).values()]
    return { violation: step.violation, operations: done, exchanges }
  }
  return { violation: undefined, operations: done, exchanges: context.recorded }
}
