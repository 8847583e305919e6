import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { prometheusBinary } from '@tideport/testing/prometheus'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'

interface Rule {
  alert?: string
  labels?: { severity?: string }
  annotations?: { summary?: string; description?: string; runbook_url?: string }
}

const prometheus = join(import.meta.dirname, '../prometheus')
const rulesFile = join(prometheus, 'rules.yaml')
const testFiles = globSync('tests/*.yaml', { cwd: prometheus }).toSorted()
const read = <T>(file: string) => parse(readFileSync(join(prometheus, file), 'utf8')) as T
const rules = read<{ groups: { rules: Rule[] }[] }>('rules.yaml').groups.flatMap((group) => group.rules)
const alerts = rules.filter(({ alert }) => alert !== undefined)
const cases = testFiles.flatMap((file) => read<{ tests: { name: string }[] }>(file).tests.map(({ name }) => name))
const promtool = await prometheusBinary('promtool')
const runPromtool = (...args: string[]) => promisify(execFile)(promtool ?? '', args, { cwd: prometheus })

test('there are 36 alerts, each with a case in which it fires and one in which it is silent', () => {
  expect(alerts).toHaveLength(36)
  for (const { alert } of alerts) {
    const kinds = cases.filter((name) => name.startsWith(`${alert} `)).map((name) => name.split(' ')[1])
    expect(kinds, alert).toContain('fires')
    expect(kinds, alert).toContain('is')
  }
})

test('each alert says how bad it is, what it means, and which section of the runbook tells what to do', () => {
  const runbook = readFileSync(join(prometheus, '../../docs/operations.md'), 'utf8')
  const sections = [...runbook.matchAll(/^#+ (Tideport\w+)$/gm)].map(([, name]) => name)
  for (const { alert, labels, annotations } of alerts) {
    expect(labels?.severity, alert).toMatch(alert === 'TideportWatchdog' ? /^none$/ : /^(page|ticket)$/)
    expect(annotations?.summary, alert).toBeTruthy()
    expect(annotations?.description, alert).toBeTruthy()
    expect(annotations?.runbook_url, alert).toMatch(new RegExp(`#${alert?.toLowerCase()}$`))
    expect(sections).toContain(alert)
  }
  expect(sections).toHaveLength(alerts.length)
})

describe.skipIf(promtool === undefined)('promtool (skipped: not installed)', () => {
  test('reads every rule', async () => {
    expect((await runPromtool('check', 'rules', rulesFile)).stdout).toContain(`${rules.length} rules found`)
  })

  test.each(testFiles)('%s: each alert fires by its fault and is silent beside it', async (file) => {
    const failed = await runPromtool('test', 'rules', file).then(
      () => '',
      ({ stdout, stderr }) => `${stdout}${stderr}`,
    )
    expect(failed).toBe('')
  })
})
