import { parseArgs } from 'node:util'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { type Command, type CommandContext, UsageError } from './command.ts'
import { keepSecretFiles, keySettings } from './secret-files.ts'

export const makeSecrets: Command = {
  usage:
    '--format kubernetes [--name NAME] | --format env | --format age | --format files --dir DIR [--postgres HOST:PORT] [--nats HOST:PORT]',
  summary:
    'Creates the keys of a new installation: a Secret, NAME=VALUE lines, or files; existing files stay unchanged. age: an identity for backups',
  async run({ args, print }: CommandContext) {
    const { values } = parseArgs({
      args,
      options: {
        format: { type: 'string' },
        name: { type: 'string', default: 'tideport-keys' },
        dir: { type: 'string' },
        postgres: { type: 'string', default: 'postgres:5432' },
        nats: { type: 'string', default: 'nats:4222' },
      },
    })
    const { format, name, dir, postgres, nats } = values
    if (format === 'kubernetes') print(secretManifest(name))
    else if (format === 'env')
      print(
        Object.entries(keySettings())
          .map(([key, value]) => `${key}=${value}`)
          .join('\n'),
      )
    else if (format === 'age') print(await ageIdentity())
    else if (format === 'files' && dir) await keepSecretFiles(dir, { postgres, nats })
    else throw new UsageError(format === 'files' ? 'name the directory' : `unknown format ${format ?? '(none)'}`)
  },
}

/** The file that `age-keygen` writes. */
async function ageIdentity(): Promise<string> {
  const identity = await generateX25519Identity()
  return `# public key: ${await identityToRecipient(identity)}\n${identity}`
}

/** JSON is YAML. */
function secretManifest(name: string): string {
  const entries = Object.entries(keySettings()).map(([key, value]) => [key.toLowerCase().replaceAll('_', '-'), value])
  const stringData = Object.fromEntries(entries)
  return JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata: { name }, type: 'Opaque', stringData }, null, 2)
}
