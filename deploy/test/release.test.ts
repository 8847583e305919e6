import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, test } from 'vitest'
import { parse } from 'yaml'
import { releaseNotes, versionFaults } from '../release/version.ts'

interface Job {
  permissions?: Record<string, string>
  needs?: string
  steps: { uses?: string; run?: string; with?: Record<string, unknown> }[]
}
interface Workflow {
  permissions: Record<string, string>
  jobs: Record<string, Job>
}

const root = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
const text = read('.github/workflows/release.yml')
const { jobs, permissions } = parse(text) as Workflow
const steps = Object.values(jobs).flatMap((job) => job.steps)

describe('the release workflow', () => {
  it('pins every third-party action by commit, with its version in a comment', () => {
    const used = text.split('\n').filter((line) => /\buses:/.test(line))
    expect(used).toHaveLength(steps.filter(({ uses }) => uses).length)
    for (const line of used) expect(line).toMatch(/uses: [\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
  })

  it('has no permissions by default, and only the necessary ones in each job', () => {
    expect(permissions).toEqual({})
    const publishes = { contents: 'read', packages: 'write', 'id-token': 'write', attestations: 'write' }
    expect(Object.fromEntries(Object.entries(jobs).map(([name, job]) => [name, job.permissions]))).toEqual({
      check: { contents: 'read' },
      image: publishes,
      chart: publishes,
      docs: { contents: 'read', pages: 'write', 'id-token': 'write' },
      release: { contents: 'write' },
    })
  })

  it('publishes only after every check passed, and creates the release last', () => {
    expect(Object.entries(jobs).map(([name, { needs }]) => [name, needs])).toEqual([
      ['check', undefined],
      ['image', 'check'],
      ['chart', 'image'],
      ['docs', 'chart'],
      ['release', 'chart'],
    ])
    expect(jobs.check?.steps.map(({ run }) => run)).toContain('.ci/run test:full')
  })

  it('keeps tokens out of checkouts, and external input out of scripts', () => {
    const checkouts = steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'))
    expect(checkouts.map((step) => step.with?.['persist-credentials'])).toEqual(checkouts.map(() => false))
    for (const { run } of steps) expect(run ?? '').not.toContain('${{')
  })

  it('builds every image of the Dockerfile', () => {
    const targets = [...read('Dockerfile').matchAll(/^FROM runtime AS (\w+)$/gm)].map(([, name]) => name)
    const listed = text.match(/target: \[(.+)\]/)?.[1]?.split(', ')
    expect(listed?.toSorted()).toEqual(targets.toSorted())
  })
})

describe('a release', () => {
  const texts = {
    manifest: '{"version": "0.2.0"}',
    chart: 'version: 0.2.0\nappVersion: 0.2.0\n',
    dockerfile: 'ARG VERSION=0.2.0\n',
    changelog:
      '# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-01-31\n\n### Added\n\n- A\n\n## [0.1.0] - 2026-01-01\n\n- B\n',
  }

  it('uses the text of its own changelog section', () => {
    expect(versionFaults('v0.2.0', texts)).toEqual([])
    expect(releaseNotes('v0.2.0', texts.changelog)).toBe('### Added\n\n- A')
  })

  it.each([
    ['another version', 'v0.3.0', texts, 5],
    ['a tag that is not a version', 'nightly', texts, 6],
    ['a chart with the old version', 'v0.2.0', { ...texts, chart: 'version: 0.2.0\nappVersion: 0.1.0\n' }, 1],
    ['an empty changelog section', 'v0.2.0', { ...texts, changelog: '## [0.2.0] - 2026-01-31\n\n## [0.1.0] - 2026-01-01\n\n- B\n' }, 1], // biome-ignore format: a table
  ])('is rejected for %s', (_, tag, given, count) => {
    expect(versionFaults(tag, given)).toHaveLength(count)
  })

  it('is rejected by the program with one message for each fault', () => {
    const program = fileURLToPath(new URL('deploy/release/notes.ts', root))
    const run = () => execFileSync(process.execPath, [program, 'v99.0.0'], { stdio: 'pipe' })
    expect(run).toThrow(/^Command failed[\s\S]*package.json has [\d.]+, but the tag is v99.0.0\.\n/)
  })
})

test('all files have the same version', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string }
  const changelog = `## [${version}] - 2026-01-31\n\n- A\n`
  const texts = { manifest: read('package.json'), chart: read('deploy/helm/tideport/Chart.yaml'), dockerfile: read('Dockerfile') } // biome-ignore format: a list
  expect(versionFaults(`v${version}`, { ...texts, changelog })).toEqual([])
  expect(globSync('{packages,services}/*/package.json', { cwd: fileURLToPath(root) }).map((file) => JSON.parse(read(file)).version)).toSatisfy((all: string[]) => all.every((one) => one === version)) // biome-ignore format: one claim
})
