import { once } from 'node:events'
import { accessSync, readdirSync, statSync, watch } from 'node:fs'
import { connect } from 'node:net'
import { join, relative, resolve, sep } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isRequirementId, type RequirementId } from '../../../contract/index.ts'
import {
  type ConformanceReport,
  undecidedVerdicts,
  type Verdict,
} from '../../../contract/report/conformance.ts'
import { defaultOperations, exploreSlug, reportName } from '../../conformance/defaults.ts'
import { asConfigurationError, ConfigurationError } from '../../conformance/errors.ts'
import { resultsIn } from '../results/results-folder.ts'
import { anyEdited, conformanceIn, openStored } from '../results/stored-report.ts'

export type Watch = ReturnType<typeof openWatch>

/** Polling interval of the target. */
const lookMs = 200
/** An editor writes several files at once. */
const settleMs = 100

/**
 * Watches files below a path, and a target that stops and starts again.
 * @param path undefined to watch only the target
 * @param out results folder, whose changes are ignored
 * @throws ConfigurationError if the path cannot be watched
 */
export function openWatch(path: string | undefined, out: string) {
  let changed: string | null = null
  let target: URL | undefined
  let isUp = true
  const watchAll = (folder: string) => {
    // The recursive watch of Linux accepts a path that does not exist.
    accessSync(folder)
    return watch(folder, { recursive: true })
  }
  const watcher =
    path === undefined ? undefined : asConfigurationError(Error, () => watchAll(path), '--watch')
  watcher?.on('change', (_, name) => {
    const file = resolve(path ?? '', String(name))
    const isOwn = `${file}${sep}`.startsWith(`${resolve(out)}${sep}`)
    const isIgnored = file.split(sep).some((part) => ignored.includes(part))
    if (!isOwn && !isIgnored) changed = `${relative('', file)} changed`
  })
  return {
    /** Takes the address of the target, once it is known. */
    setTarget(baseUrl: string) {
      target = new URL(baseUrl)
    },
    /** Forgets changes until now. */
    reset() {
      changed = null
    },
    /** Describes the next change; null once the signal is aborted. */
    async next(signal: AbortSignal): Promise<string | null> {
      while (changed === null && !signal.aborted) {
        await pause(lookMs, signal)
        const wasUp = isUp
        isUp = target === undefined || (await answers(target))
        if (isUp && !wasUp) changed ??= 'the target is back'
      }
      await pause(settleMs, signal)
      return signal.aborted ? null : changed
    },
    close: () => watcher?.close(),
  }
}

const ignored: readonly string[] = ['.git', 'node_modules']

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {})
}

async function answers({ hostname, port, protocol }: URL): Promise<boolean> {
  const host = hostname.replace(/^\[|\]$/g, '')
  const socket = connect({ host, port: Number(port) || (protocol === 'https:' ? 443 : 80) })
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(1_000) })
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

const failed: readonly Verdict[] = ['fail', 'warn', ...undecidedVerdicts]

/**
 * Requirements that were violated or undecided in the results of an earlier check, and its conditions.
 * @throws ConfigurationError if there are none, or if they were edited after their run
 */
export function failedIn(folder: string) {
  const place = hasReport(folder) ? folder : latestAside(folder)
  if (place === undefined) {
    throw new ConfigurationError([
      `--failed: ${folder} has no readable ${reportName} from an earlier check: run chatgen check without --failed first, or pass the folder of that check with --out`,
    ])
  }
  const stored = openStored(place)
  if (anyEdited([stored])) {
    throw new ConfigurationError([
      `--failed: the results in ${place} were edited after their run: run chatgen check without --failed`,
    ])
  }
  const { report } = conformanceIn(stored)
  return { report, ids: failedOf(report), ...conditionsOf(report) }
}

export function failedOf({
  requirements,
}: Pick<ConformanceReport, 'requirements'>): readonly RequirementId[] {
  return requirements
    .filter(({ verdict }) => failed.includes(verdict))
    .map(({ id }) => id)
    .filter(isRequirementId)
}

/** The depth of a check, and the operations to explore if its random sequences left something violated or undecided. */
export function conditionsOf({ depth, exploration, requirements }: ConformanceReport) {
  const isExplored = requirements.some(
    ({ brokenBy, scenarios, verdict, blockedBy }) =>
      brokenBy.includes(exploreSlug) ||
      (verdict === 'inconclusive' && blockedBy === null && scenarios.includes(exploreSlug)),
  )
  // It may have ended at its first violations.
  const operations = Math.max(exploration?.operations ?? 0, defaultOperations)
  return { depth, explore: isExplored ? operations : undefined }
}

/** Latest results that a run without any, such as one whose target was down, has moved aside. */
function latestAside(folder: string): string | undefined {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return undefined
  const names = readdirSync(folder).filter((name) => name.startsWith('previous-check-'))
  return names
    .toSorted()
    .map((name) => join(folder, name))
    .findLast(hasReport)
}

export function hasReport(folder: string): boolean {
  return resultsIn(folder)?.kind === 'conformance-report'
}
