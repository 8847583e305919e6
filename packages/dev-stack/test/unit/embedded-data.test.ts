import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { expect, test } from 'vitest'
import { dataLayout } from '../../src/data-directory/data-layout.ts'
import { writeMovedOut } from '../../src/data-directory/moved-out.ts'
import { assertDataInUse } from '../../src/stack/embedded-data.ts'

const databaseUrl = 'postgres://admin:secret@db/tideport'
const s3 = {
  ...{ endpoint: 'https://s3.example.org', region: 'r', bucket: 'hot', forcePathStyle: false },
  ...{ accessKeyId: 'a', secretAccessKey: 'b' },
}

test('an external server never hides data of the embedded one, and the reverse', async () => {
  await using dir = await createTemporaryDirectory('dev-stack')
  const layout = dataLayout(dir.path)
  const start = (external: Parameters<typeof assertDataInUse>[1]) => assertDataInUse(layout, external)
  await start({ databaseUrl, s3 })
  await mkdir(join(layout.postgres, 'cluster'), { recursive: true })
  await mkdir(join(layout.s3, 'objects'), { recursive: true })
  await start({ natsUrl: 'nats://broker' })
  await expect(start({ databaseUrl })).rejects.toThrow(/postgres has data, but DATABASE_URL names .* move-out/)
  await expect(start({ s3 })).rejects.toThrow(/s3 has data, but S3_ENDPOINT names .* move-out/)

  await writeMovedOut(layout, { id: 'm', postgres: { at: '2026-01-02T03:04:05Z', to: 'db/tideport' } })
  await start({ databaseUrl })
  await expect(start({})).rejects.toThrow(
    /The data of .*postgres was moved to db\/tideport on 2026.*\. Set DATABASE_URL to/,
  )
  await expect(start({ databaseUrl, s3 })).rejects.toThrow(/s3 has data/)
})
