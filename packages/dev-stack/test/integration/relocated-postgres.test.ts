import { access, chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { expect, test } from 'vitest'
import { removeCluster } from '../../src/servers/postgres/cluster-home.ts'
import { launchPostgres } from '../../src/servers/postgres/launch-postgres.ts'

const isRoot = process.getuid?.() === 0

test.runIf(isRoot)(
  'as root, stores the data of an inaccessible directory elsewhere, and finds it there on the next start',
  async () => {
    await using dir = await createTemporaryDirectory('dev-stack')
    await chmod(dir.path, 0o700)
    const dataDir = join(dir.path, 'postgres')
    const first = await launchPostgres({ dataDir, durable: false })
    await first.stop()
    expect(first.home).toMatch(/^\/var\/lib\/tideport\/postgres-/)

    const second = await launchPostgres({ dataDir, durable: false })
    await second.stop()
    expect(second.home).toBe(first.home)

    await removeCluster(dataDir)
    for (const path of [first.home, dataDir]) await expect(access(path)).rejects.toThrow('ENOENT')
  },
)
