import {
  BudgetSpentError,
  InconclusiveError,
  RunEndedError,
} from '../conformance/session/errors.ts'
import { createRandomPicker } from '../conformance/session/identities.ts'
import type { Session } from '../conformance/session/session.ts'
import { costOfExploring } from '../conformance/usage.ts'
import {
  createExplorationContext,
  createKnowledge,
  type ExplorationContext,
  type Knowledge,
  type Operation,
  type Pick,
  type Planned,
  StateViolation,
} from './command.ts'
import { deletedUses } from './commands/chats.ts'
import { commands, exploredRequirements } from './commands/index.ts'
import {
  type Budget,
  createBudget,
  createDeck,
  draw,
  lastDeletion,
  lastWrites,
  perform,
  readsAfter,
  replay,
  sweep,
} from './sequence.ts'
import { type Shrunk, shrink } from './shrink.ts'

export { exploredRequirements }

/** Number of consecutive unclear answers after which the exploration ends. */
const maxUnclear = 8

export type ExplorationResult = Awaited<ReturnType<typeof explore>>

/**
 * Carries out random sequences of operations, compares the target with the model of the document, and
 * reports each violation with the shortest sequence that reproduces it in fresh chats.
 * @param operations number of operations, including the reads between them
 * @param maxViolations number of violations after which it ends
 * @throws RunEndedError if the target, or its recording, no longer gives usable answers; a spent budget ends it early
 */
export async function explore(session: Session, operations: number, maxViolations = 3) {
  const knowledge = createKnowledge()
  const { seed } = session.context.setup
  const pick = createRandomPicker(`${seed}/explore`)
  const violations: Shrunk[] = []
  /** Violations that could not be reproduced in fresh chats and are not reported as such. */
  const unrepeated: StateViolation[] = []
  const useOfDeleted = createDeck(Object.keys(deletedUses), pick)
  const budget = createBudget(operations, costOfExploring(operations).generations)
  const run = { session, knowledge, pick, useOfDeleted, budget }

  /** One sequence, and the confirmation of what it finds. */
  async function exploreOnce(): Promise<void> {
    const context = createExplorationContext(session, knowledge)
    const found = await runSequence(context, run)
    await context.dispose()
    if (found === 'lost') throw earlyEnd(session)
    if (found === undefined) return
    const isKnown = violations.some(
      ({ violation }) => violation.requirement === found.violation.requirement,
    )
    if (isKnown) return
    const shrunk = await confirm(run, found)
    if (shrunk === undefined && (found.isHurried || session.settling.isLate)) {
      // The effect was only late, so there is no doubt.
      session.settling.noteLate()
      return
    }
    if (shrunk === undefined) {
      doubt(session, found.violation, notAgain)
      unrepeated.push(found.violation)
      if (await isGone(run)) throw earlyEnd(session)
      return
    }
    // The same operations have the same cause, whichever requirement reports it first.
    if (violations.some((earlier) => causeOf(earlier) === causeOf(shrunk))) return
    violations.push(shrunk)
    // The requests of the shortest sequence are the evidence.
    const { requirement, message } = shrunk.violation
    const why = `${message}, after: ${shrunk.operations.map(describe).join('; ')}`
    if (exploredRequirements.includes(requirement))
      session.addFinding(requirement, 'broken', why, shrunk.exchanges, true)
  }

  try {
    while (budget.operations() < operations && violations.length < maxViolations)
      await exploreOnce()
  } catch (error) {
    if (!(error instanceof BudgetSpentError)) throw error
  }
  return { operations: budget.operations(), violations, unrepeated }
}

function earlyEnd({ context: { setup } }: Session): RunEndedError {
  const silent = 'exploring ended: the target gave no more usable answers'
  const lacks = 'the recording lacks requests of the exploration'
  return new RunEndedError(setup.recordedEnd ?? (setup.recordingFile === null ? silent : lacks))
}

const notAgain = 'it did not recur when the operations were repeated'

/** Marks a requirement as inconclusive: one occurrence is too little for a violation and too much for a pass. */
function doubt(session: Session, { requirement, message }: StateViolation, why: string): void {
  session.markUndecided('inconclusive', [requirement], `exploring saw once: ${message}; ${why}`)
}

/**
 * The shortest sequence that reproduces a violation. The search first uses shortened waits, and its result
 * counts only if full waits reproduce it; otherwise the search is repeated with full waits. If changes are
 * visible late, it must be reproduced by requests that wait until they are.
 */
async function confirm(
  { session, knowledge }: Run,
  { violation, operations }: Found,
): Promise<Shrunk | undefined> {
  const repeat = async (shorter: readonly Operation[]) => {
    const context = createExplorationContext(session, knowledge)
    const replayed = await replay(context, shorter)
    await context.dispose()
    return replayed
  }
  const seek = () => shrink(operations, { violation, replay: repeat, ...maxShrinkCost })
  try {
    const sought = await session.settling.hurry(seek)
    const { isLate } = session.settling
    if (isLate) session.waitsForChanges = true
    const again = sought && (await repeat(sought.operations))
    if (isLate) session.waitsForChanges = false
    const isSame =
      again?.violation !== undefined &&
      again.violation.requirement === sought?.violation.requirement
    if (isSame) return { ...again, violation: again.violation }
    return isLate ? undefined : await seek()
  } catch (error) {
    if (error instanceof InconclusiveError)
      doubt(session, violation, 'the run ended before it was repeated')
    throw error
  }
}

/** Names of the writing operations of a sequence; equal names mean the same cause. */
function causeOf({ operations }: Shrunk): string {
  const writes = operations.filter(({ command }) => commands[command]?.reads !== true)
  return [...new Set(writes.map(({ command }) => command))].sort().join()
}

/** Maximum cost of shrinking one violation. */
const maxShrinkCost = { maxOperations: 2000, maxGenerations: 300 }

interface Run {
  readonly session: Session
  readonly knowledge: Knowledge
  readonly pick: Pick
  /** Draws the next use of a deleted chat. */
  readonly useOfDeleted: () => string | undefined
  readonly budget: Budget
}

interface Found {
  /** True if the wait for the effect was shortened. */
  readonly isHurried: boolean
  readonly violation: StateViolation
  readonly operations: readonly Operation[]
}

/** One sequence and its sweep; `lost` if usable answers have ended. */
async function runSequence(
  context: ExplorationContext,
  run: Run,
): Promise<Found | 'lost' | undefined> {
  const { model } = context
  const { budget, pick } = run
  const { settling } = run.session
  const done: Operation[] = []
  let unclear = 0
  let isLost = false

  /** Operations, each of which is chosen once the one before it is done. */
  function* chosen(): Generator<Planned & Partial<Operation>> {
    const size = budget.size()
    for (let count = 1; count <= size; count += 1) {
      const operation = draw(model, `o${count}`, run)
      if (operation === undefined) break
      yield operation
      isLost = unclear >= maxUnclear
      if (isLost) return
      yield* readsAfter(operation, model, run)
    }
    yield* lastWrites(model, pick, budget.payAtEnd)
    yield* sweep(model, run)
    yield* lastDeletion(model)
  }

  for (const planned of chosen()) {
    const operation = { label: `f${done.length}`, ...planned }
    // An effect that the target never shows need not be awaited each time.
    const isHurried = settling.mayHurry
    const work = () => perform(context, operation)
    const step = await (isHurried ? settling.hurry(work) : work())
    if (step === 'skipped') continue
    unclear = step === 'unclear' ? unclear + 1 : 0
    done.push(operation)
    if (step instanceof StateViolation) return { violation: step, operations: done, isHurried }
  }
  if (isLost) return 'lost'
  return unclear > 0 && (await isGone(run)) ? 'lost' : undefined
}

/** Tests if the target no longer creates a chat. Too few operations may be left for that of chats that it does not show. */
async function isGone({ session, knowledge }: Run): Promise<boolean> {
  const context = createExplorationContext(session, knowledge)
  const step = await perform(context, { command: 'create chat', label: 'last' })
  await context.dispose()
  return step === 'unclear'
}

function describe({ command, chat, variant, limit }: Operation): string {
  const details = [chat, variant, limit === undefined ? undefined : `limit ${limit}`].filter(
    (detail) => detail !== undefined,
  )
  return details.length === 0 ? command : `${command} (${details.join(', ')})`
}
