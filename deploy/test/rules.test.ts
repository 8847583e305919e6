import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { prometheusBinary } from '@tideport/testing/prometheus'
import { describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'

interface Rule {
  alert?: string
  record?: string
  expr: string
  labels?: { severity?: string }
  annotations?: { summary?: string; description?: string; runbook?: string }
}

const prometheus = join(import.meta.dirname, '../prometheus')
const rulesFile = join(prometheus, 'rules.yaml')
const testFiles = globSync('tests/*.yaml', { cwd: prometheus }).toSorted()
const read = <T>(file: string) => parse(readFileSync(join(prometheus, file), 'utf8')) as T
const { groups } = read<{ groups: { rules: Rule[] }[] }>('rules.yaml')
const rules = groups.flatMap((group) => group.rules)
const alerts = rules.filter(({ alert }) => alert !== undefined)
const cases = testFiles.flatMap((file) => read<{ tests: { name: string }[] }>(file).tests.map(({ name }) => name))
const promtool = await prometheusBinary('promtool')
const runPromtool = (...args: string[]) => promisify(execFile)(promtool ?? '', args, { cwd: prometheus })

/** The groups with the rules that a text names, and their dependencies. promtool evaluates all given rules each minute. */
function groupsNamedIn(text: string): typeof groups {
  const named = new Set<Rule>()
  const add = (where: string) => {
    for (const rule of rules) {
      if (named.has(rule) || !where.includes(rule.alert ?? rule.record ?? '')) continue
      named.add(rule)
      add(rule.expr)
    }
  }
  add(text)
  return groups.map((group) => ({ ...group, rules: group.rules.filter((rule) => named.has(rule)) }))
}

test('each of the 40 alerts has a case in which it fires and one in which it is silent', () => {
  expect(alerts).toHaveLength(40)
  for (const { alert } of alerts) {
    const kinds = cases.filter((name) => name.startsWith(`${alert} `)).map((name) => name.split(' ')[1])
    expect(kinds, alert).toContain('fires')
    expect(kinds, alert).toContain('is')
  }
})

test('each alert has a severity, a summary, a description, and a section in the runbook', () => {
  const runbook = readFileSync(join(prometheus, '../../docs/operate/alerts.md'), 'utf8')
  const sections = [...runbook.matchAll(/^#+ (Tideport\w+)$/gm)].map(([, name]) => name)
  for (const { alert, labels, annotations } of alerts) {
    expect(labels?.severity, alert).toMatch(alert === 'TideportWatchdog' ? /^none$/ : /^(page|ticket)$/)
    expect(annotations?.summary, alert).toBeTruthy()
    expect(annotations?.description, alert).toBeTruthy()
    expect(annotations?.runbook, alert).toBe(`docs/operate/alerts.md#${alert?.toLowerCase()}`)
    expect(annotations).not.toHaveProperty('runbook_url')
    expect(sections).toContain(alert)
  }
  expect(sections).toHaveLength(alerts.length)
})

describe.skipIf(promtool === undefined)('promtool (skipped: not installed)', () => {
  test('reads every rule', async () => {
    expect((await runPromtool('check', 'rules', rulesFile)).stdout).toContain(`${rules.length} rules found`)
  })

  test.each(testFiles)('%s: each alert fires for its fault and is silent without it', async (file) => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'tideport-rules-'))
    const [rulesOfCases, casesOfFile] = [join(folder.path, 'rules.yaml'), join(folder.path, 'cases.yaml')]
    const text = readFileSync(join(prometheus, file), 'utf8')
    await writeFile(rulesOfCases, stringify({ groups: groupsNamedIn(text) }))
    await writeFile(casesOfFile, stringify({ ...parse(text), rule_files: [rulesOfCases] }))
    const failed = await runPromtool('test', 'rules', casesOfFile).then(
      () => '',
      ({ stdout, stderr }) => `${stdout}${stderr}`,
    )
    expect(failed).toBe('')
  })
})
