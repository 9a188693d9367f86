export interface Rule {
  readonly pattern: RegExp
  /** Where it applies: names in code, openings of doc comments, texts of strings, pages. */
  readonly in: 'code' | 'doc' | 'text' | 'page'
  readonly instead: string
  /** Paths in which the rule does not apply, by their beginning. */
  readonly except?: readonly string[]
}

/** Words that a reader of the field does not know, with the ones to use. */
export const rules: readonly Rule[] = [
  {
    pattern: /\bmost[A-Z]\w*/g,
    in: 'code',
    instead: 'max*',
    except: ['contract/', 'harness/', 'reports/', 'scripts/', 'suites/'],
  },
  { pattern: /\b(?:least|fewest)[A-Z]\w*/g, in: 'code', instead: 'min*', except: ['harness/'] },
  {
    pattern: /\b(?:longest|largest|deepest)[A-Z]\w*/g,
    in: 'code',
    instead: 'max*',
    except: ['contract/', 'harness/', 'reference-server/', 'reports/', 'scripts/'],
  },
  {
    pattern: /\b(?:Flight|Landing|landWith)\b/g,
    in: 'code',
    instead: 'InFlightRequest, RequestResult',
    except: ['harness/'],
  },
  {
    pattern: /\b(?:Crew|Circumstances)\b/g,
    in: 'code',
    instead: 'WorkerContext, TransactionContext',
    except: ['harness/'],
  },
  {
    pattern: /\b(?:Wire)?Speaker\b/g,
    in: 'code',
    instead: 'TransactionRunner',
    except: ['harness/'],
  },
  {
    pattern: /\b(?:Run|Transaction|Id|Item)Book\b/g,
    in: 'code',
    instead: 'RunStats, TransactionStats, …',
    except: ['harness/'],
  },
  { pattern: /\b\w+Watch\b/g, in: 'code', instead: '*Monitor, *Detector', except: ['harness/'] },
  {
    pattern: /\b(?:Stopwatch|TurnTeller)\b/g,
    in: 'code',
    instead: 'RequestTimings, TurnTracker',
    except: ['harness/'],
  },
  {
    pattern: /\b(?:severally|abreast|passOver|perhapsAbort|dawdle\w*|aWhileAfter)\b/g,
    in: 'code',
    instead: 'mapConcurrently, concurrency, recordDropped, maybeAbort, …',
    except: ['harness/'],
  },
  { pattern: /\b[rR]efits?\b/g, in: 'code', instead: 'patch' },
  {
    pattern: /\b(?:setAside|SetAside|stepAside|stepBack|keepProcess|tellsOf\w*)\b/g,
    in: 'code',
    instead: 'skipReason, detach, restore, mentions, …',
    except: ['harness/', 'reports/'],
  },
  {
    pattern: /\b(?:said|told|gone|wanted|meant|heard|deeds?)\b/g,
    in: 'code',
    instead: 'a noun',
    except: ['harness/', 'reference-server/', 'reports/', 'scripts/', 'suites/'],
  },
  {
    pattern: /\btroubles?\b/g,
    in: 'code',
    instead: 'warnings, problems',
    except: ['harness/', 'reports/'],
  },
  { pattern: /\bkitFaults?\b/g, in: 'code', instead: 'internalErrors', except: ['harness/'] },
  { pattern: /\bwhoever\b/g, in: 'code', instead: 'a noun' },
  {
    pattern: /^\/\*\*\s+(?:\* )?(?:What|Whoever|Who|Where|How|So many|As many|Whether)\b/g,
    in: 'doc',
    instead: 'a noun or a verb first',
    except: [
      'contract/',
      'fixtures/',
      'harness/',
      'reference-server/',
      'reports/',
      'scripts/',
      'suites/',
    ],
  },
  {
    pattern: /\bfaults? of the kit\b/g,
    in: 'text',
    instead: 'internal error',
    except: ['bin/', 'harness/', 'reports/'],
  },
  { pattern: /\btidy(?:ing)?\b/g, in: 'text', instead: 'clean up' },
  {
    pattern: /\bthe kit\b/g,
    in: 'text',
    instead: 'chatgen',
    except: ['bin/', 'harness/', 'reports/'],
  },
  {
    pattern: /\bfaults? of the kit\b/g,
    in: 'page',
    instead: 'internal error',
    except: ['ARCHITECTURE.md'],
  },
  { pattern: /\btidy(?:ing)?\b/g, in: 'page', instead: 'clean up', except: ['docs/'] },
  { pattern: /\bthe kit\b/g, in: 'page', instead: 'chatgen', except: ['ARCHITECTURE.md', 'docs/'] },
  { pattern: /\b[Ww]hoever\b/g, in: 'page', instead: 'a noun', except: ['fixtures/'] },
  { pattern: /\bso many\b/g, in: 'page', instead: 'the number' },
]
