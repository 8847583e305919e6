import { networksEnvironment } from '@tideport/file-lifecycle/testing/networks-environment'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { describe, expect, it } from 'vitest'
import { networks } from '../../src/networks.ts'
import { setupInstallation } from '../installation.ts'

const t = setUpOnce(() => setupInstallation('lake', 'attic'))

const none = { planned: 0, stored: 0, proved: 0, failed: 0, dropping: 0, dropped: 0, bytes: 0 }

describe('operator networks', () => {
  it('counts copies and bytes per network and state', async () => {
    await t.coldFile()
    await t.hotFile()
    const ofBoth = { driver: 'embedded', role: 'required', works: 'yes', ...none, planned: 1, proved: 1, bytes: 5 }
    expect((await t.run(networks, ['--json'])).rows).toEqual([
      { network: 'lake', ...ofBoth },
      { network: 'attic', ...ofBoth },
    ])
    expect((await t.run(networks, [])).lines[0]).toMatch(/^network +driver +role +works +planned/)
  })

  it('lists networks that fail, that are leaving, and that have copies without a configuration', async () => {
    await t.coldFile()
    await t.takeNetworkDown('lake')
    const dir = t.directoryOf('lake').path
    const env = networksEnvironment({ lake: { dir, role: 'leaving' }, disk: { dir: `${dir}-none` } })
    const { rows } = await t.run(networks, ['--json'], env)
    expect(rows).toMatchObject([
      { network: 'disk', role: 'required', works: expect.stringMatching(/^no: /), proved: 0 },
      { network: 'lake', role: 'leaving', works: expect.stringMatching(/^no: /), proved: 1 },
      { network: 'attic', driver: null, role: 'not configured', works: null, proved: 1, bytes: 5 },
    ])
  })
})
