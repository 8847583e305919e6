import { randomBytes, randomUUID } from 'node:crypto'
import { createJob } from '@tideport/bulk-jobs/jobs/account-job'
import { openCredentials, sealCredentials } from '@tideport/export/bucket/bucket-request'
import { createSecretBox } from '@tideport/service-kit/secrets/secret-box'
import { expect, it } from 'vitest'
import { reEncryptExportCredentials } from '../../src/re-encrypt.ts'
import { setupInstallation } from '../installation.ts'

const credentials = { accessKeyId: 'id', secretAccessKey: 'secret' }

it('re-encrypts export credentials with the first key, reports those that no key decrypts, and changes no others', async () => {
  await using t = await setupInstallation('lake')
  const { accountId } = await t.hotFile()
  const [old, next, gone] = [randomBytes(32), randomBytes(32), randomBytes(32)] as const
  const ask = async (key: Buffer) => {
    const job = { id: randomUUID(), accountId }
    const sealedSecret = sealCredentials(createSecretBox([key]), job, credentials)
    const more = { kind: 'export' as const, vaultId: null, toVaultId: null, request: {}, sealedSecret, openMax: 9 }
    await t.db.transaction().execute((trx) => createJob(trx, { ...job, ...more }))
    return { ...job, sealedSecret }
  }
  const [ours, lost] = [await ask(old), await ask(gone)]
  const sealed = async ({ id }: { id: string }) =>
    (await t.database.sql<{ sealed_secret: string }>('select * from account_job where id = $1', [id]))[0]?.sealed_secret
  const env = { EXPORT_SECRET_KEYS: [next, old].map((key) => key.toString('base64')).join() }
  expect((await t.run(reEncryptExportCredentials, ['--json'], env)).failure).toContain(
    'cannot be decrypted with any key',
  )
  expect(openCredentials(createSecretBox([next]), ours, (await sealed(ours)) ?? '')).toEqual(credentials)
  expect(await sealed(lost)).toBe(lost.sealedSecret)
  await t.database.sql('delete from account_job where id = $1', [lost.id])
  expect((await t.run(reEncryptExportCredentials, ['--json'], env)).rows).toMatchObject([
    { key: 1, credentials: 1 },
    { key: 2, credentials: 0 },
  ])
})
