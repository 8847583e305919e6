import { execFile } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'

const sdk = join(import.meta.dirname, '../../packages/sdk')
const awsSdk = join(import.meta.dirname, '../../node_modules/@aws-sdk')

/**
 * Runs the pieces of one program in Node and returns the output. The working directory has the SDK, the AWS SDK,
 * `photo.jpg`, and `files`. Shared imports are merged. Rejects if the program fails.
 */
export async function runSdkExample(
  pieces: string[],
  env: Record<string, string | undefined>,
  files: Record<string, string | Uint8Array> = {},
  prepare?: (folder: string) => Promise<void>,
): Promise<string> {
  await using directory = await createTemporaryDirectory('sdk-example')
  const at = (name: string) => join(directory.path, name)
  await prepare?.(directory.path)
  await mkdir(at('node_modules/@tideport'), { recursive: true })
  await symlink(sdk, at('node_modules/@tideport/sdk'))
  await symlink(awsSdk, at('node_modules/@aws-sdk'))
  await writeFile(at('photo.jpg'), crypto.getRandomValues(new Uint8Array(40_000)))
  for (const [name, content] of Object.entries(files)) await writeFile(at(name), content)
  await writeFile(at('program.mjs'), oneProgram(pieces))
  const options = { cwd: directory.path, env: { ...process.env, ...env }, timeout: 120_000 }
  const { stdout } = await promisify(execFile)(process.execPath, ['program.mjs', ...Object.keys(files)], options)
  return stdout
}

/** Joins the pieces, with merged imports at the top. */
function oneProgram(pieces: string[]): string {
  const importing = /^import .*$/gm
  const names = new Map<string, Set<string>>()
  for (const [, list = '', from = ''] of pieces.join('\n').matchAll(/^import \{ (.*) \} from '(.*)'$/gm)) {
    names.set(from, new Set([...(names.get(from) ?? []), ...list.split(', ')]))
  }
  const imports = [...names].map(([from, list]) => `import { ${[...list].join(', ')} } from '${from}'`)
  return [...imports, ...pieces.map((piece) => piece.replaceAll(importing, ''))].join('\n')
}
