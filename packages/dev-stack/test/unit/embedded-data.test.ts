import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { expect, test } from 'vitest'
import { dataLayout } from '../../src/data-directory/data-layout.ts'
import { assertNoDataLeft } from '../../src/stack/embedded-data.ts'

const databaseUrl = 'postgres://admin:secret@db/tideport'
const s3 = {
  ...{ endpoint: 'https://s3.example.org', region: 'r', bucket: 'hot', forcePathStyle: false },
  ...{ accessKeyId: 'a', secretAccessKey: 'b' },
}

test('an external server never hides data of the embedded one', async () => {
  await using dir = await createTemporaryDirectory('dev-stack')
  const layout = dataLayout(dir.path)
  await assertNoDataLeft(layout, { databaseUrl, s3 })
  await mkdir(join(layout.postgres, 'cluster'), { recursive: true })
  await mkdir(join(layout.s3, 'objects'), { recursive: true })
  await assertNoDataLeft(layout, { natsUrl: 'nats://broker' })
  await expect(assertNoDataLeft(layout, { databaseUrl })).rejects.toThrow(/postgres has data, but DATABASE_URL names/)
  await expect(assertNoDataLeft(layout, { s3 })).rejects.toThrow(/s3 has data, but S3_ENDPOINT names/)
})
