import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { GetObjectCommand, ListBucketsCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { expect, test } from 'vitest'
import { createKey, newAccount } from './support/account.ts'
import { startTestStack } from './support/start-test-stack.ts'

test('no log or metric of a service contains a secret, signature, or body of the S3 API', async () => {
  await using stack = await startTestStack({ env: { LOG_LEVEL: 'trace', REVOCATION_WAIT_SECONDS: '0' } })
  const { gatewayUrls, s3ApiUrls, processes } = stack.describe()
  const owner = newAccount(gatewayUrls[0] as string)
  const { id, s3 } = await createKey(owner, { s3: true })
  if (s3 === undefined) throw new Error('The key has no S3 credentials')
  const clientOf = (credentials: typeof s3) =>
    new S3Client({ endpoint: s3ApiUrls[0] as string, region: 'us-east-1', forcePathStyle: true, credentials })
  const signatures: string[] = []
  const client = clientOf(s3)
  client.middlewareStack.add(
    (next) => (given) => {
      const { authorization } = (given.request as { headers: Record<string, string> }).headers
      signatures.push(/Signature=([0-9a-f]{64})/.exec(authorization ?? '')?.[1] ?? '')
      return next(given)
    },
    { step: 'finalizeRequest', priority: 'low' },
  )
  const Body = `body-${crypto.randomUUID()}`
  const { body } = await owner.get<{ vaults: { slug: string }[] }>('/api/vaults')
  const Bucket = body.vaults[0]?.slug as string
  await client.send(new ListBucketsCommand())
  await client.send(new PutObjectCommand({ Bucket, Key: 'a', Body }))
  const bytes = await (await client.send(new GetObjectCommand({ Bucket, Key: 'a' }))).Body?.transformToString()
  expect(bytes).toBe(Body)
  const url = await getSignedUrl(client, new GetObjectCommand({ Bucket, Key: 'a' }), { expiresIn: 60 })
  expect(await (await fetch(url)).text()).toBe(Body)
  signatures.push(new URL(url).searchParams.get('X-Amz-Signature') ?? '')
  const wrong = { ...s3, secretAccessKey: `wrong-${crypto.randomUUID()}` }
  await expect(clientOf(wrong).send(new ListBucketsCommand())).rejects.toThrow('signature')
  await owner.delete(`/api/auth/api-keys/${id}`)
  await expect(client.send(new ListBucketsCommand())).rejects.toThrow()

  const logs = join(stack.dataDir, 'logs')
  const files = await Promise.all((await readdir(logs)).map((name) => readFile(join(logs, name), 'utf8')))
  const adminUrls = [...new Set(processes.flatMap(({ adminUrl }) => adminUrl ?? []))]
  const metrics = await Promise.all(adminUrls.map(async (url) => await (await fetch(`${url}/metrics`)).text()))
  expect(files.join()).toContain('"level":"info"')
  expect(signatures.filter((signature) => signature !== '')).toHaveLength(signatures.length)
  const needles = [s3.secretAccessKey, wrong.secretAccessKey, Body, ...signatures]
  for (const text of [...files, ...metrics]) for (const needle of needles) expect(text.includes(needle)).toBe(false)
})
