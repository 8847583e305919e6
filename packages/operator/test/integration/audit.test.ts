import { asOperator } from '@tideport/file-lifecycle/repair/as-operator'
import { must } from '@tideport/file-lifecycle/test/bundle'
import { onBehalfOf } from '@tideport/service-kit/context/request-context'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { audit } from '../../src/audit.ts'
import { redrive } from '../../src/redrive.ts'
import { setupInstallation, type TestInstallation } from '../installation.ts'

let t: TestInstallation
beforeAll(async () => {
  t = await setupInstallation()
})
afterAll(() => t[Symbol.asyncDispose]())

const bob = { method: 'jwt', keyId: null, keyPrefix: null, subject: 'bob' } as const

it('operator audit tells who deleted a file, whoever owns it, also when it is gone', async () => {
  const file = await t.hotFile('hello', await t.newAccount())
  await onBehalfOf({ actor: bob, clientAddress: '192.0.2.1' }, async () => t.trash(await t.read(file.id)))
  const listed = async () => (await t.run(audit, ['--id', file.id, '--json'])).rows
  const deleted = { kind: 'file.deleted', accountId: file.accountId, subject: 'bob', clientAddress: '192.0.2.1' }
  expect(await listed()).toMatchObject([deleted, { kind: 'file.hot', method: 'system' }])
  await t.purge(await t.read(file.id))
  expect(await listed()).toMatchObject([{ kind: 'file.purged', method: 'system' }, deleted, { kind: 'file.hot' }])
})

it('what an operator does to a file is in the log as such', async () => {
  const file = await t.hotFile()
  await t.fail(file)
  await asOperator(() => t.run(redrive, ['--file', file.id]))
  const [last] = (await t.run(audit, ['--id', must(file).id, '--json'])).rows
  expect(last).toMatchObject({ kind: 'retry.accepted', method: 'operator', clientAddress: null })
})
