import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { publint } from 'publint'
import { expect, it } from 'vitest'
import { buildPackage } from '../../build/build-package.ts'

const run = promisify(execFile)

it('is one small file that Node runs without anything beside it', async () => {
  await using directory = await createTemporaryDirectory('cli-package')
  const installed = join(directory.path, 'node_modules/@tideport/cli')
  await buildPackage(installed)
  expect((await readdir(installed)).toSorted()).toEqual(['LICENSE', 'README.md', 'package.json', 'tideport.1', 'tideport.mjs']) // biome-ignore format: one claim
  const program = join(installed, 'tideport.mjs')
  const bundle = await readFile(program)
  expect(bundle.subarray(0, 20).toString()).toBe('#!/usr/bin/env node\n')
  expect(gzipSync(bundle).length).toBeLessThan(55_000)
  const { messages } = await publint({ pkgDir: installed })
  expect(messages).toEqual([])

  const bin = join(directory.path, 'node_modules/.bin')
  await mkdir(bin)
  await symlink(program, join(bin, 'tideport'))
  const environment = { PATH: process.env.PATH, HOME: directory.path }
  const { stdout } = await run(process.execPath, [join(bin, 'tideport'), '--version'], { env: environment })
  expect(stdout).toMatch(/^tideport \d+\.\d+\.\d+/)
  // Not even its keyring is there: the key goes by the environment.
  const refused = run(process.execPath, [program, 'vaults', '--json'], { env: environment })
  await expect(refused).rejects.toMatchObject({ code: 4, stderr: expect.stringContaining('TIDEPORT_URL') })
})
