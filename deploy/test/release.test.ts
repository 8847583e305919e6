import { execFileSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, test } from 'vitest'
import { parse } from 'yaml'
import { datedChangelog, readVersions, releaseNotes, versionFaults, withVersion } from '../release/version.ts'

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
      packages: { contents: 'read', 'id-token': 'write' },
      docs: { contents: 'read', pages: 'write', 'id-token': 'write' },
      release: { contents: 'write', 'id-token': 'write' },
    })
  })

  it('publishes only after every check passed, and announces the release last', () => {
    expect(Object.entries(jobs).map(([name, { needs }]) => [name, needs])).toEqual([
      ['check', undefined],
      ['image', 'check'],
      ['chart', 'image'],
      ['packages', 'chart'],
      ['docs', 'release'],
      ['release', 'packages'],
    ])
    expect(jobs.check?.steps.map(({ run }) => run)).toContain('.ci/run test:full')
  })

  it('keeps tokens out of checkouts, and external input out of scripts', () => {
    const checkouts = steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'))
    expect(checkouts.map((step) => step.with?.['persist-credentials'])).toEqual(checkouts.map(() => false))
    for (const { run } of steps) expect(run ?? '').not.toContain('${{')
  })

  it('attaches the files of every publishing job, with a signed list of their digests', () => {
    const uploads = Object.entries(jobs).flatMap(([name, job]) =>
      job.steps
        .filter(({ uses }) => uses?.startsWith('actions/upload-artifact@'))
        .map((step) => [name, step.with?.name]),
    )
    expect(uploads).toEqual([
      ['image', expect.stringMatching(/^release-image-/)],
      ['chart', 'release-chart'],
      ['packages', 'release-packages'],
    ])
    const last = jobs.release?.steps ?? []
    expect(last.find(({ uses }) => uses?.startsWith('actions/download-artifact@'))?.with?.pattern).toBe('release-*')
    expect(last.at(-1)?.run).toMatch(/sha256sum [\s\S]*cosign sign-blob [\s\S]*gh release create .*-- \*\n$/)
  })

  it('adds the announced version and a page with the notes to the site', () => {
    const [command] = jobs.docs?.steps.flatMap(({ run }) => run?.match(/node deploy.release.announce.ts/) ?? []) ?? []
    expect(command).toBeDefined()
    const folder = mkdtempSync(join(tmpdir(), 'tideport-site-'))
    const notes = 'https://example.org/tideport/releases/tag/v0.2.0'
    execFileSync(process.execPath, [
      fileURLToPath(new URL('deploy/release/announce.ts', root)),
      'v0.2.0',
      folder,
      notes,
    ])
    expect(JSON.parse(readFileSync(join(folder, 'release.json'), 'utf8'))).toEqual({ version: '0.2.0' })
    expect(readFileSync(join(folder, 'release-notes/index.html'), 'utf8')).toContain(`href="${notes}"`)
    rmSync(folder, { recursive: true })
  })

  it('builds every image of the Dockerfile', () => {
    const targets = [...read('Dockerfile').matchAll(/^FROM runtime AS ([\w-]+)$/gm)].map(([, name]) => name)
    const listed = text.match(/target: \[(.+)\]/)?.[1]?.split(', ')
    expect(listed?.toSorted()).toEqual(targets.toSorted())
  })
})

describe('a release', () => {
  const folder = fileURLToPath(root)
  const unreleased = '# Changelog\n\n## [Unreleased]\n\n### Added\n\n- A\n\n## [0.1.0] - 2026-01-01\n\n- B\n'
  const changelog = datedChangelog(unreleased, '9.2.0', '2026-01-31')
  const files = readVersions(folder).map((file) => ({ ...file, text: withVersion(file, '9.2.0') }))

  it('has one version in every file, after the program wrote it, and the text of its own changelog section', () => {
    expect(versionFaults('v9.2.0', files, changelog)).toEqual([])
    expect(releaseNotes('v9.2.0', changelog)).toBe('### Added\n\n- A')
  })

  it.each([
    ['another version', 'v9.3.0', changelog, files.length + 1],
    ['a tag that is not a version', 'nightly', changelog, files.length + 2],
    [
      'an empty changelog section',
      'v9.2.0',
      datedChangelog('## [Unreleased]\n\n## [0.1.0] - 2026-01-01\n\n- B\n', '9.2.0', '2026-01-31'),
      1,
    ],
    ['a changelog without a release', 'v9.2.0', `Nothing is released yet.\n${changelog}`, 1],
  ])('is rejected for %s', (_, tag, given, count) => {
    // biome-ignore format: a table
    expect(versionFaults(tag, files, given)).toHaveLength(count)
  })

  it('is rejected by the program with one message for each fault', () => {
    const program = join(folder, 'deploy/release/notes.ts')
    const run = () => execFileSync(process.execPath, [program, 'v99.0.0'], { stdio: 'pipe' })
    expect(run).toThrow(/^Command failed[\s\S]*package.json has [\d.]+, but the tag is v99.0.0\.\n/)
  })
})

test('all files have the same version', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string }
  const stated = readVersions(fileURLToPath(root))
  const changelog = `## [${version}] - 2026-01-31\n\n- A\n`
  expect(versionFaults(`v${version}`, stated, changelog)).toEqual([])
  // Each place is found: a pattern that no longer matches would leave an old version.
  const paths = stated.map(({ path }) => path)
  expect(paths).toEqual(expect.arrayContaining(['package-lock.json', 'Dockerfile', 'deploy/helm/tideport/Chart.yaml', 'docs/operate/kubernetes.md', 'deploy/helm/tideport/README.md', '.github/workflows/cluster.yml'])) // biome-ignore format: a list
  const manifests = globSync('{.,apps/*,packages/*,services/*}/package.json', { cwd: fileURLToPath(root) })
  expect(paths).toEqual(expect.arrayContaining(manifests))
})
