import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hasKubo, startKubo } from '@tideport/testing/kubo'
import { describe, expect, it } from 'vitest'

describe.skipIf(!hasKubo())('a private Kubo', () => {
  it('requires its token, opens no address for peers, and has no peers', async () => {
    await using kubo = await startKubo()
    expect(await kubo.call('swarm/addrs/listen')).not.toMatch(/ip[46]/)
    expect(JSON.parse(await kubo.call('swarm/peers'))).toEqual({ Peers: null })
    const config = JSON.parse(await readFile(join(kubo.repo, 'config'), 'utf8'))
    expect(config).toMatchObject({ Bootstrap: [], Provide: { Enabled: false }, Routing: { Type: 'none' } })
    expect((await fetch(`${kubo.url}/api/v0/version`, { method: 'POST' })).status).toBe(403)
  })
})
