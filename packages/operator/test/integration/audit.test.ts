import { onBehalfOf } from '@tideport/service-kit/context/request-context'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { expect, it } from 'vitest'
import { audit } from '../../src/audit.ts'
import { setupInstallation } from '../installation.ts'

const t = setUpOnce(setupInstallation)

const bob = { method: 'jwt', keyId: null, keyPrefix: null, subject: 'bob' } as const

it('operator audit shows who deleted a file, for every owner, even after the deletion', async () => {
  const file = await t.hotFile('hello', await t.newAccount())
  await onBehalfOf({ actor: bob, clientAddress: '192.0.2.1' }, async () => t.trash(await t.read(file.id)))
  const listed = async () => (await t.run(audit, ['--id', file.id, '--json'])).rows
  const deleted = { kind: 'file.deleted', accountId: file.accountId, subject: 'bob', clientAddress: '192.0.2.1' }
  expect(await listed()).toMatchObject([deleted, { kind: 'file.hot', method: 'system' }])
  await t.purge(await t.read(file.id))
  expect(await listed()).toMatchObject([{ kind: 'file.purged', method: 'system' }, deleted, { kind: 'file.hot' }])
})
