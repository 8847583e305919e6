import { join } from 'node:path'
import type { DataLayout } from '../data-directory/data-layout.ts'
import { readMovedOut } from '../data-directory/moved-out.ts'
import { exists } from '../file-system/exists.ts'
import type { ExternalServers } from '../servers/external-servers.ts'

/** Of the servers with data. NATS has only messages that Postgres can repeat. */
const servers = {
  postgres: { setting: 'DATABASE_URL', key: 'databaseUrl', signs: ['cluster', 'relocated-to'] },
  s3: { setting: 'S3_ENDPOINT', key: 's3', signs: ['objects'] },
} as const

export type DataServer = keyof typeof servers

/** Throws unless the stack would use the servers that have its data. Otherwise it would seem to be empty. */
export async function assertDataInUse(layout: DataLayout, external: ExternalServers): Promise<void> {
  const moved = await readMovedOut(layout)
  for (const name of ['postgres', 's3'] as const) {
    const { setting, key } = servers[name]
    const isExternal = external[key] !== undefined
    if (moved?.[name] !== undefined) {
      if (isExternal) continue
      const { at, to } = moved[name]
      throw new Error(
        `The data of ${layout[name]} was moved to ${to} on ${at}. Set ${setting} to this server. ` +
          `To use the old data without all later changes, delete ${layout.movedOut}.`,
      )
    }
    if (isExternal && (await hasData(layout, name)))
      throw new Error(
        `${layout[name]} has data, but ${setting} names another server, which does not have it. ` +
          `Move it there with tideport move-out and the same settings, or start without ${setting}.`,
      )
  }
}

/** Whether a server of the stack has stored data in its folder. */
export async function hasData(layout: DataLayout, name: DataServer): Promise<boolean> {
  const found = await Promise.all(servers[name].signs.map((sign) => exists(join(layout[name], sign))))
  return found.includes(true)
}
