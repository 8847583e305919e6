import { readStackFile } from '@tideport/dev-stack/data-directory/stack-file'
import { dataDirOf } from './options.ts'

/**
 * The program of operators with the settings of the installation that runs on the data directory. In its container,
 * DATABASE_URL is that of another role. Elsewhere, DATABASE_URL may name another installation.
 */
const { env } = process
const isMeant = env.TIDEPORT_DATA !== undefined || !env.DATABASE_URL
const stack = isMeant ? await readStackFile(dataDirOf(env)) : undefined
Object.assign(env, stack?.operatorSettings)
await import('@tideport/operator/src/main.ts')
