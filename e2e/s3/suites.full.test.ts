import { join } from 'node:path'
import { test } from 'vitest'
import { accountId, createKey } from '../support/account.ts'
import { freshAccount, sharedStack } from '../support/shared-stack.ts'
import { judge, readCaseList } from './support/case-list.ts'
import { type CephUser, runCephTests } from './support/ceph-suite.ts'
import { cephTests, goClients, pythonClients } from './support/client-programs.ts'
import { runRcloneTests } from './support/rclone-suite.ts'
import { newS3Account } from './support/s3-account.ts'

test('the claimed cases of ceph/s3-tests pass', { timeout: 3_600_000 }, async ({ skip }) => {
  const [checkout, packages] = await Promise.all([cephTests(), pythonClients()])
  if (checkout === undefined) return skip('ceph/s3-tests cannot be fetched. Name a copy of its repository in S3_TESTS.')
  if (packages === undefined) return skip('The Python packages cannot be installed.')
  const [main, alt, tenant] = await Promise.all([cephUser(), cephUser(), cephUser()])
  const list = readCaseList('s3-tests')
  const names = [...list.claimed, ...list.notYet] // the excluded cases take half an hour
  const run = { checkout, python: join(packages, 'bin/python'), accounts: { main, alt, tenant }, names }
  judge(list, await runCephTests(run))
})

test("the claimed subtests of rclone's backend test pass", async ({ skip }) => {
  const programs = await goClients()
  if (programs === undefined) return skip('rclone cannot be built. It needs Go and a module proxy.')
  judge(readCaseList('rclone'), await runRcloneTests(programs, await newS3Account()))
})

async function cephUser(): Promise<CephUser> {
  const client = freshAccount()
  const [id, { s3 }] = await Promise.all([accountId(client), createKey(client, { s3: true })])
  if (!s3) throw new Error('The new key has no S3 credentials')
  return { ...s3, id, displayName: id, endpoint: sharedStack().s3ApiUrls[0] as string, region: 'us-east-1' }
}
