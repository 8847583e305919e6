import { listFiles } from '@tideport/sdk'
import { client } from '../api/client.ts'

/** So few files of one folder are looked up one by one, however many others the folder has. */
const aloneMax = 3
const atOnce = 4

/**
 * Which of these paths are taken in the vault. A folder below `folder` is listed with all that is in it, a hundred files
 * a request; of `folder` itself only names that begin as the asked ones do.
 */
export async function findTaken(vaultId: string, folder: string, paths: readonly string[]): Promise<Set<string>> {
  const asked = new Set(paths.map(normal))
  const own = [...asked].filter((path) => !path.slice(folder.length).includes('/'))
  const below = new Set([...asked].flatMap((path) => /^[^/]+\//.exec(path.slice(folder.length))?.[0] ?? []))
  const lists = [
    ...(own.length <= aloneMax ? own.map((path) => ({ prefix: path })) : [{ prefix: sharedStart(own) }]).map(
      (list) => ({
        ...list,
        delimiter: '/' as const,
      }),
    ),
    ...[...below].map((name) => ({ prefix: `${folder}${name}` })),
  ]
  const taken = new Set<string>()
  const left = lists.values()
  const work = async () => {
    for (const list of left) {
      const { prefix } = list
      const isOne = asked.has(prefix)
      const files = listFiles(client(), { vaultId, ...list, prefix: prefix || undefined, sortBy: 'path', limit: 100 })
      for await (const { path, status } of files) {
        // Of the paths that begin with it the path itself comes first.
        if (isOne && path !== prefix) break
        if (status !== 'uploading' && asked.has(path)) taken.add(path)
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return taken
}

/** As the service keeps a path. */
export const normal = (path: string): string => path.normalize('NFC')

function sharedStart(paths: readonly string[]): string {
  const [first = '', ...others] = paths
  let length = first.length
  for (const path of others) while (!path.startsWith(first.slice(0, length))) length--
  // No half of a character.
  return first.slice(0, length).replace(/[\ud800-\udbff]$/, '')
}
