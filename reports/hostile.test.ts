import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { XMLParser } from 'fast-xml-parser'
import { micromark } from 'micromark'
import { gfm, gfmHtml } from 'micromark-extension-gfm'
import { describe, expect, test } from 'vitest'
import { validateXML } from 'xmllint-wasm'
import { capacityDocument } from './capacity/document.ts'
import type { CapacityReport } from './capacity/model/report.ts'
import { compareReports } from './compare/compare.ts'
import { comparisonDocument } from './compare/document.ts'
import { conformanceDocument } from './conformance/document.ts'
import { reportToBadge, reportToGitHub } from './conformance/github.ts'
import { reportToJUnit } from './conformance/junit.ts'
import { toHtml } from './document/html.ts'
import { toJUnit } from './document/junit.ts'
import { toGitHub, toMarkdown } from './document/markdown.ts'
import { toTerminal } from './document/terminal.ts'
import { loadDocument } from './load/document.ts'
import { loadToCsv, loadToPrometheus } from './load/metrics/prometheus.ts'
import type { LoadReport } from './load/model/report.ts'
import {
  hostileCapacity,
  hostileLoad,
  hostileReport,
  hostileTexts,
} from './test-support/hostile.ts'
import { loadReportOf } from './test-support/measurements.ts'
import { conforming, exchangeOf, exchanges as recorded, violated } from './test-support/reports.ts'
import { toCurl } from './text/curl/curl.ts'
import { isQuotable, shellQuote } from './text/curl/shell-quote.ts'
import { reportToJson } from './text/digest.ts'

/** Every hostile text of a target in every report format. */

const texts = Object.entries(hostileTexts)
const verbose = { color: false, width: 80, verbose: true }
const schema = readFileSync(new URL('./test-support/junit.xsd', import.meta.url), 'utf8')

/** Characters that must be escaped: they move cursors, change the text direction or are invisible. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Noncharacter_Code_Point}\u3164]/gu

function unseenIn(text: string): readonly string[] {
  return (text.replaceAll('\n', '').match(unseen) ?? []).map((one) => escape(one))
}

/** Reports of each kind with the text in place of every text of a target. */
function madeOf(text: string) {
  const { report, exchanges } = hostileReport(text)
  const [load, capacity] = [hostileLoad(text), hostileCapacity(text)]
  const check = conformanceDocument(report, exchanges)
  return {
    ...{ report, load },
    documents: { check, load: loadDocument(load), capacity: capacityDocument(capacity) },
    junit: [reportToJUnit(report, exchanges), loadToJUnit(load), capacityToJUnit(capacity)],
  }
}

const plain = madeOf('plain')

describe.each(texts)('a report with %s', (_, text) => {
  const { report, load, documents, junit } = madeOf(text)

  test.each(Object.entries({ ...documents, comparison: comparisonOf(text) }))(
    'as the document of a %s contains no invisible characters in any format',
    (_, one) => {
      const brief = toTerminal(one, { color: false, width: 80 })
      for (const made of [brief, toTerminal(one, verbose), toMarkdown(one), toHtml(one)]) {
        expect(unseenIn(made)).toEqual([])
      }
      expect(unseenIn(toGitHub(one))).toEqual([])
    },
  )

  test('contains no invisible characters in other formats', () => {
    const made = [
      ...[reportToGitHub(report), reportToJson(report), reportToJson(load), ...junit],
      ...[reportToBadge(report), loadToCsv(load), loadToPrometheus(load)],
    ]
    expect(made.map(unseenIn)).toEqual(made.map(() => []))
  })

  test('contains only commands of chatgen in GitHub format', () => {
    const lines = reportToGitHub(report).trimEnd().split('\n')
    for (const line of [...lines, ...toGitHub(documents.load).trimEnd().split('\n')]) {
      expect(line).toMatch(/^::(error|warning|notice) title=[^:\r\n]*::/)
    }
    expect(lines).toHaveLength(reportToGitHub(plain.report).trimEnd().split('\n').length)
  })

  test('contains the unchanged text in JSON', () => {
    expect(JSON.parse(reportToJson(report)).requirements[0].message).toBe(text)
    expect(JSON.parse(reportToJson(load)).notes).toEqual([text])
  })

  test('contains only elements of chatgen in JUnit', () => {
    expect(junit.map(elementsOf)).toEqual(plain.junit.map(elementsOf))
  })

  test.each(['check', 'load', 'capacity'] as const)(
    'contains no links, mentions or elements of the text in Markdown of a %s',
    (kind) => {
      const rendered = rendering(toMarkdown(documents[kind]))
      expect(tagsIn(rendered)).toEqual(tagsIn(rendering(toMarkdown(plain.documents[kind]))))
      expect(prose(rendered).match(/@\w|#\d|GH-\d|:\/\/|www\./g) ?? []).toEqual([])
    },
  )

  test('contains only names and numbers in CSV cells', () => {
    const [, ...lines] = loadToCsv(load).trimEnd().split('\n')
    for (const cell of lines.flatMap((line) => line.split(','))) expect(cell).toMatch(/^[\d.]*$/)
  })

  test('contains only comments and samples of chatgen in Prometheus format', () => {
    for (const line of loadToPrometheus(load).trimEnd().split('\n')) {
      expect(line).toMatch(
        /^(# (HELP|TYPE) |(chatgen|gen_ai)_\w+(\{(\w+="(\\["\\n]|[^"\\])*",?)+\})? \S+$)/,
      )
    }
  })
})

describe('JUnit schema', () => {
  const whole = loadReportOf()
  const lost = { partial: { of: 2, missing: [0] }, interrupted: true }

  test.each([
    ['check', texts.map(([, text]) => hostileReport(text)).map(junitOf)],
    [
      'check with verdicts of every kind, none, and strictly',
      [
        violated,
        conforming,
        { ...violated, strict: true },
        { ...conforming, requirements: [] },
      ].map((report) => junitOf({ report, exchanges: recorded })),
    ],
    [
      'load',
      [
        ...texts.map(([, text]) => hostileLoad(text)),
        ...[whole, { ...whole, slo: [], audits: [] }],
        ...texts.map(([, text]) => ({ ...whole, ...lost, faults: [text, `x\n${text}`] })),
      ].map(loadToJUnit),
    ],
    ['capacity', texts.map(([, text]) => capacityToJUnit(hostileCapacity(text)))],
  ])('accepts reports of %s', async (_, reports) => {
    const xml = reports.map((contents, at) => ({ fileName: `${at}.xml`, contents }))
    const { errors } = await validateXML({ xml, schema })
    expect(errors.map(({ message }) => message)).toEqual([])
  })

  test.each([
    [' failures="', ' failed="'],
    ['<failure', '<failed'],
  ])('rejects a report with %s changed to %s', async (right, wrong) => {
    const contents = reportToJUnit(violated, recorded).replace(right, wrong)
    const { errors } = await validateXML({ xml: [{ fileName: 'wrong.xml', contents }], schema })
    expect(errors).not.toEqual([])
  })
})

describe('hostile texts in a shell', () => {
  test('are one word each with the same characters', () => {
    const words = texts.map(([, text]) => text).filter(isQuotable)
    const output = bash(`printf '%s\\0' ${words.map(shellQuote).join(' ')}`)
    expect(output.split('\0').slice(0, -1)).toEqual(words.map((word) => word.toWellFormed()))
  })

  test('give curl the sent request and run nothing else', () => {
    const quotable = texts.filter(([, text]) => isQuotable(text))
    const sent = quotable.flatMap(([, text]) => [...hostileReport(text).exchanges.values()])
    const script = sent.map((exchange) => `( ${toCurl(exchange)}\n)`).join('\nprintf "\\1\\0"\n')
    // Only the two programs that a command line may use exist, so anything else fails.
    const output = bash(
      `set -e; curl() { [ "$#" -lt 20 ] && printf '%s\\0' "$@"; }; PATH=/nowhere; ${script}`,
    )
    const calls = output.split('\u0001\0').map((call) => call.split('\0').slice(0, -1))
    expect(calls.map((call) => call.find((word) => word.startsWith('http')))).toEqual(
      sent.map(({ request }) => request.url.toWellFormed()),
    )
    expect(calls.map((call) => call.at(-1))).toEqual(
      sent.map(({ request }) => new TextDecoder().decode(request.body ?? new Uint8Array())),
    )
  })

  test.each(['$(id) key', '`id` key', '" ; id ; " key', '$(id)[api key]', 'Basic $(id)[api key]='])(
    'run nothing in a credential %s',
    (credential) => {
      const sent = exchangeOf({ authorization: credential })
      const script = `id() { printf ran >&2; }; curl() { :; }; CHATGEN_API_KEY=k; ${toCurl(sent)}`
      const { stderr, status } = spawnSync('bash', ['-c', script], { encoding: 'utf8' })
      expect({ stderr, status }).toEqual({ stderr: '', status: 0 })
    },
  )
})

function loadToJUnit(report: LoadReport): string {
  return toJUnit(loadDocument(report), report, report.integrity.held)
}

function capacityToJUnit(report: CapacityReport): string {
  return toJUnit(capacityDocument(report), report)
}

function junitOf({ report, exchanges }: ReturnType<typeof hostileReport>): string {
  return reportToJUnit(report, exchanges)
}

function comparisonOf(text: string) {
  const [a, b] = [hostileReport('plain').report, hostileReport(text).report]
  return comparisonDocument({ comparison: compareReports(a, b), a, b, notes: [] })
}

function elementsOf(xml: string): readonly string[] {
  const parsed: unknown = new XMLParser({ ignoreAttributes: false, preserveOrder: true }).parse(xml)
  const found: string[] = []
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) for (const one of node) visit(one)
    else if (typeof node === 'object' && node !== null) {
      for (const [name, value] of Object.entries(node)) {
        if (name === ':@') found.push(Object.keys(value).join(' '))
        else if (name !== '#text') {
          found.push(name)
          visit(value)
        }
      }
    }
  }
  visit(parsed)
  return found
}

function rendering(markdown: string): string {
  return micromark(markdown, {
    allowDangerousHtml: true,
    allowDangerousProtocol: true,
    extensions: [gfm()],
    htmlExtensions: [gfmHtml()],
  })
}

/** Tags of a page in order, except the empty elements that keep words from being links. */
function tagsIn(html: string): readonly string[] {
  return html.replaceAll('<span></span>', '').match(/<[^>]*>/g) ?? []
}

/** Text outside of code, in which GitHub looks for mentions and references. */
function prose(html: string): string {
  return html.replaceAll(/<(code|pre)\b[\s\S]*?<\/\1>/g, '').replaceAll('<span></span>', '\u0001')
}

function bash(script: string): string {
  return execFileSync('bash', ['-c', script], { encoding: 'utf8' })
}
