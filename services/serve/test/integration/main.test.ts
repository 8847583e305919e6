import { spawnProgram } from '@tideport/testing/spawn-program'
import { describe, expect, it } from 'vitest'

const check = (env: Record<string, string>) =>
  spawnProgram(new URL('../../src/main.ts', import.meta.url), env, ['--check'])

describe('serve', () => {
  it('runs the chosen services only, and needs no URL of a service that it runs', async () => {
    await using some = check({ TIDEPORT_PROCESSES: 'gateway, auth' })
    expect(await some.ended).toMatchObject({ code: 1 })
    const faults = some.output.stderr.split('\n').flatMap((line) => /^(\w+): is required/.exec(line)?.[1] ?? [])
    expect(faults).toEqual(expect.arrayContaining(['FILES_URL', 'IDENTITY_TOKEN_PRIVATE_KEY', 'DATABASE_URL']))
    for (const name of ['AUTH_URL', 'S3_BUCKET', 'WEBHOOK_SECRET_KEYS']) expect(faults).not.toContain(name)
  })

  it('rejects unknown services', async () => {
    await using wrong = check({ TIDEPORT_PROCESSES: 'gateway,file' })
    expect(await wrong.ended).toMatchObject({ code: 1 })
    expect(wrong.output.stderr).toContain('TIDEPORT_PROCESSES: unknown service "file". Services: gateway, auth, files')
  })
})
