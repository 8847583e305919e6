import { readFile } from 'node:fs/promises'
import { migrationSettings } from '@tideport/service-kit/postgres/migration-main'
import { parse } from 'yaml'
import { z } from 'zod'
import type { Reader } from '../configuration-page.ts'
import { type Settings, valuesSchema } from './values-schema.ts'

/** values.schema.json of the chart in this folder, of these services. */
export async function chartSchema(readers: readonly Reader[], chart: URL): Promise<string> {
  const passedOn = parse(await readFile(new URL('files/settings.yaml', chart), 'utf8')) as Record<string, string[]>
  const settings: Settings = new Map()
  for (const [, { shape }] of [...readers, ['migration job', z.object(migrationSettings)] as const]) {
    for (const [name, setting] of Object.entries(shape)) settings.set(name, [...(settings.get(name) ?? []), setting])
  }
  return `${JSON.stringify(await valuesSchema(settings, Object.keys(passedOn)), null, 2)}\n`
}
