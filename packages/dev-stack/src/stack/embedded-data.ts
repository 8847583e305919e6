import { join } from 'node:path'
import type { DataLayout } from '../data-directory/data-layout.ts'
import { exists } from '../file-system/exists.ts'
import type { ExternalServers } from '../servers/external-servers.ts'

/**
 * Throws if the data directory has data of a server that an external one would replace: the stack would seem to be
 * empty. NATS has only messages that Postgres can repeat.
 */
export async function assertNoDataLeft({ postgres, s3 }: DataLayout, external: ExternalServers): Promise<void> {
  const replaced = [
    { isExternal: external.databaseUrl !== undefined, setting: 'DATABASE_URL', dir: postgres, signs: ['cluster', 'relocated-to'] }, // biome-ignore format: a table
    { isExternal: external.s3 !== undefined, setting: 'S3_ENDPOINT', dir: s3, signs: ['objects'] },
  ]
  for (const { isExternal, setting, dir, signs } of replaced) {
    const found = await Promise.all(signs.map((sign) => exists(join(dir, sign))))
    if (!isExternal || !found.includes(true)) continue
    throw new Error(
      `${dir} has data, but ${setting} names another server, which does not have them. ` +
        `Start without ${setting}, or move the data there and rename the folder.`,
    )
  }
}
