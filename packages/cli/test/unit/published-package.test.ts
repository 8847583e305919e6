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

it('is one small program that Node runs without dependencies, and that rejects an older Node with an error', async () => {
  await using directory = await createTemporaryDirectory('cli-package')
  const installed = join(directory.path, 'node_modules/@tideport/cli')
  await buildPackage(installed)
  expect((await readdir(installed)).toSorted()).toEqual(['LICENSE', 'README.md', 'THIRD-PARTY-LICENSES', 'cryptography.mjs', 'package.json', 'program.mjs', 'rolldown-runtime.mjs', 'tideport.1', 'tideport.mjs']) // biome-ignore format: one claim
  expect(await readFile(join(installed, 'THIRD-PARTY-LICENSES'), 'utf8')).toMatch(
    /^@noble\/ciphers\n\nThe MIT License[\s\S]*^ignore\n\nCopyright .*Kael Zhang/m,
  )
  const program = join(installed, 'tideport.mjs')
  // The response shapes take 3 kB of it.
  expect(gzipSync(await readFile(join(installed, 'program.mjs'))).length).toBeLessThan(76_000)
  // The part that the first Node with modules parses must only check the version before it loads anything.
  const guard = await readFile(program, 'utf8')
  expect(guard).toMatch(/^#!\/usr\/bin\/env node\n/)
  expect(guard).not.toMatch(/\bfrom\b|\bawait\b|\?[.?]/)
  const { messages } = await publint({ pkgDir: installed })
  expect(messages).toEqual([])

  const bin = join(directory.path, 'node_modules/.bin')
  await mkdir(bin)
  await symlink(program, join(bin, 'tideport'))
  const environment = { PATH: process.env.PATH, HOME: directory.path }
  const { stdout } = await run(process.execPath, [join(bin, 'tideport'), '--version'], { env: environment })
  expect(stdout).toMatch(/^tideport \d+\.\d+\.\d+/)
  const old = 'data:text/javascript,Object.defineProperty(process.versions, "node", { value: "20.19.5" })'
  await expect(run(process.execPath, ['--import', old, program, '--version'])).rejects.toMatchObject({ code: 1, stdout: '', stderr: 'tideport: Node 22 or newer is required. This is Node 20.19.5\n' }) // biome-ignore format: one claim
  // The keyring package is missing, so the key comes from the environment.
  const refused = run(process.execPath, [program, 'vaults', '--json'], { env: environment })
  await expect(refused).rejects.toMatchObject({ code: 4, stderr: expect.stringContaining('TIDEPORT_URL') })
})
