import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Environment } from '../grammar/context.ts'
import { absent } from '../local/absent.ts'
import { configDirectory } from './directories.ts'

export interface KeptVault {
  slug: string
  id: string
  ageFile: string
}

const named = /^([a-z0-9-]{1,64})_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

/** Throws a sentence for names that the service never creates and that could lead out of the folder. */
export function keptVault(
  environment: Environment,
  url: string,
  { slug, id }: { slug: string; id: string },
): KeptVault {
  const name = `${slug}_${id}`
  if (!named.test(name)) throw new Error('The service returned an invalid vault slug or ID')
  return { slug, id, ageFile: join(folderOf(environment, url), `${name}.age`) }
}

export async function keptVaults(environment: Environment, url: string): Promise<KeptVault[]> {
  const names = await readdir(folderOf(environment, url)).catch(absent)
  return (names ?? []).flatMap((name) => {
    const [, slug, id] = (name.endsWith('.age') && named.exec(name.slice(0, -'.age'.length))) || []
    return slug && id ? [keptVault(environment, url, { slug, id })] : []
  })
}

const folderOf = (environment: Environment, url: string) =>
  join(configDirectory(environment), 'vault-keys', encodeURIComponent(url))
