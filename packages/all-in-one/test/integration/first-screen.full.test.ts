import { access, chmod } from 'node:fs/promises'
import { freePort } from '@tideport/dev-stack/ports/free-port'
import { type Program, spawnProgram } from '@tideport/testing/spawn-program'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { expect, test } from 'vitest'

test('a check prints the faults of all settings, and creates no data', async () => {
  await using data = await createTemporaryDirectory('check-settings')
  const dir = `${data.path}/data`
  const check = async (env: Record<string, string>) => {
    await using program = spawnProgram(new URL('../../src/main.ts', import.meta.url), env, ['--check', '--data', dir])
    const { code } = await program.ended
    return { code, printed: program.output.stdout + program.output.stderr }
  }
  expect(await check({})).toEqual({ code: 0, printed: 'serve: the configuration is valid\n' })
  const external = { DATABASE_URL: 'postgres://admin:secret@db/tideport', STORAGE_NETWORKS: 'embedded,other' }
  const wrong = await check({ ...external, RATE_LIMIT_BURST: '-1' })
  expect(wrong).toMatchObject({ code: 1, printed: expect.stringContaining('RATE_LIMIT_BURST: Too small') })
  expect(wrong.printed).toContain('NETWORK_OTHER_DIR: is required')
  expect(wrong.printed).not.toContain('secret')
  await expect(access(dir)).rejects.toThrow('ENOENT')
})

test('every start without an owner prints a link to the set-up page, also right after a stop', async () => {
  await using data = await createTemporaryDirectory('first-screen')
  await chmod(data.path, 0o755) // for the user that runs Postgres, if root runs the test
  const port = await freePort()
  const env = { ADMIN_PORT: String(await freePort()), TIDEPORT_CACHE_DIR: process.env.TIDEPORT_CACHE_DIR ?? '' }
  const args = ['--data', `${data.path}/data`, '--port', String(port)]
  const link = new RegExp(`^ +(http://localhost:${port}/console/set-up#token=\\S+)$`, 'm')
  const linkOf = (program: Program) => program.reach('its first screen', () => link.exec(program.output.stdout)?.[1])

  const links: string[] = []
  for (let start = 0; start < 2; start++) {
    await using program = spawnProgram(new URL('../../src/main.ts', import.meta.url), env, args)
    links.push(await linkOf(program))
    expect(await program.stop()).toEqual({ code: 0, signal: null })
  }
  expect(new Set(links).size).toBe(2)
})
