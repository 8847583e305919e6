import { execFile } from 'node:child_process'
import { mkdir, readdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { nodeEnvironment } from '@tideport/testing/node-environment'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { expect, test } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import { tool } from './support/tool.ts'

const run = promisify(execFile)

test('a dry run of a release writes every file once, with its digest', async (context) => {
  const helm = await tool('helm4')
  if ('missing' in helm) return context.skip(helm.missing)
  await using temporary = await createTemporaryDirectory('dry-run')
  const files = join(temporary.path, 'files')
  const bin = join(temporary.path, 'bin')
  await mkdir(bin)
  await symlink(helm.path, join(bin, 'helm'))
  const environment = nodeEnvironment()
  const env = { ...environment, PATH: `${bin}:${environment.PATH}` }
  await run(process.execPath, [join(import.meta.dirname, '../release/dry-run.ts'), files], { env })
  const ofPackage = (name: string) => ['cdx.json', 'tgz'].map((type) => `tideport-${name}-${manifest.version}.${type}`)
  expect((await readdir(files)).toSorted()).toEqual(
    ['SHA256SUMS', `tideport-${manifest.version}.tgz`, ...['all-in-one', 'cli', 'sdk'].flatMap(ofPackage)].toSorted(),
  )
  await run('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: files })
  const chart = await run(helm.path, ['show', 'chart', join(files, `tideport-${manifest.version}.tgz`)])
  expect(chart.stdout).toContain(`version: ${manifest.version}`)
})
