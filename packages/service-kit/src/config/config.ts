import { readFileSync } from 'node:fs'
import { z } from 'zod'

type CamelKey<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Lowercase<Head>}${Capitalize<CamelKey<Tail>>}`
  : Lowercase<Name>

/** The settings of a schema with camelCased keys: `HOT_RETENTION_SECONDS` → `hotRetentionSeconds`. */
export type Config<Shape extends z.ZodRawShape> = {
  [Name in keyof Shape & string as CamelKey<Name>]: z.output<Shape[Name]>
}

/** All faults of a configuration, one per line. Contains no value of any setting. */
export class ConfigError extends Error {
  override name = 'ConfigError'
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(faults.join('\n'))
    this.faults = faults
  }
}

/**
 * Reads the settings of one process from an environment: `NAME`, or `NAME_FILE`, the path of a file that contains the
 * value (such as a mounted secret). Spaces, line breaks, and a byte order mark around a value are dropped. An empty
 * value counts as unset. Throws `ConfigError` with every fault, not only the first.
 */
export function loadConfig<Shape extends z.ZodRawShape>(
  settings: z.ZodObject<Shape>,
  env: Readonly<Record<string, string | undefined>>,
): Config<Shape> {
  const { given, unread } = readGiven(Object.keys(settings.shape), env)
  const result = settings.safeParse(given)
  const issues = result.success ? [] : result.error.issues
  const faults = issues
    .filter(({ path }) => !unread.has(String(path[0])))
    .map((issue) => describeFault(settings, given, issue))
  const families = result.success ? readFamilies(settings, result.data, env) : { values: {}, faults: [] }
  if (!result.success || unread.size > 0 || families.faults.length > 0) {
    throw new ConfigError([...unread.values(), ...faults, ...families.faults])
  }
  const entries = Object.entries({ ...(result.data as Record<string, unknown>), ...families.values })
  const config = Object.fromEntries(entries.map(([name, value]) => [camelCase(name), value])) as Config<Shape>
  const misfits = (metaOf(settings)?.['misfits'] as Misfits<Shape> | undefined)?.(config) ?? []
  if (misfits.length > 0) throw new ConfigError(misfits)
  return config
}

type Misfits<Shape extends z.ZodRawShape> = (config: Config<Shape>) => string[]

/** Adds a check that runs once every setting is valid: `misfits` returns a fault for each conflict between settings. */
export function fitting<Shape extends z.ZodRawShape>(
  settings: z.ZodObject<Shape>,
  misfits: Misfits<Shape>,
): z.ZodObject<Shape> {
  return settings.meta({ misfits })
}

/** The values given for these settings, and a fault for each setting whose file cannot be used. */
function readGiven(names: string[], env: Readonly<Record<string, string | undefined>>) {
  const given: Record<string, string> = {}
  const unread = new Map<string, string>()
  for (const name of names) {
    const { [name]: value, [`${name}_FILE`]: file } = env
    try {
      if (file && value) unread.set(name, `${name}_FILE: ${name} is also set; set only one of them`)
      const text = file ? readFileSync(file, 'utf8') : value
      // Not trimmed, because only the exact word turns on development mode.
      const kept = name === 'SERVICE_ENV' ? text : text?.trim()
      if (kept) given[name] = kept
    } catch (error) {
      unread.set(name, `${name}_FILE: cannot be read (${(error as NodeJS.ErrnoException).code})`)
    }
  }
  return { given, unread }
}

/** The values of settings that name other settings (`family`). */
function readFamilies(settings: z.ZodObject, data: unknown, env: Readonly<Record<string, string | undefined>>) {
  const values: Record<string, unknown> = {}
  const faults: string[] = []
  for (const [name, schema] of Object.entries(settings.shape)) {
    const read = metaOf(schema)?.['family'] as ((text: string, from: typeof env) => unknown) | undefined
    if (read === undefined) continue
    try {
      values[name] = read((data as Record<string, string>)[name] ?? '', env)
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      faults.push(...error.faults)
    }
  }
  return { values, faults }
}

function metaOf(schema: z.core.$ZodType): Record<string, unknown> | undefined {
  return z.globalRegistry.get(schema) as Record<string, unknown> | undefined
}

/** Whether a setting is marked as secret, also inside `.optional()` and `.default()`. */
export function isSecret(schema: z.core.$ZodType): boolean {
  if (z.globalRegistry.get(schema)?.secret === true) return true
  const inner = (schema._zod.def as { innerType?: z.core.$ZodType }).innerType
  return inner !== undefined && isSecret(inner)
}

function describeFault(settings: z.ZodObject, given: Record<string, unknown>, issue: z.core.$ZodIssue): string {
  const name = String(issue.path[0] ?? '')
  if (name === '') return issue.message
  const schema = settings.shape[name]
  if (schema === undefined) return `${name}: ${issue.message}`
  const description = z.globalRegistry.get(schema)?.description
  return `${name}: ${sentence(schema, name in given, issue)}${description ? ` (${description})` : ''}`
}

function sentence(schema: z.core.$ZodType, isGiven: boolean, issue: z.core.$ZodIssue): string {
  if (!isGiven) return issue.code === 'custom' ? issue.message : 'is required'
  // A message from zod may quote the value, so the fault of a secret has no details.
  return isSecret(schema) ? 'is not valid' : issue.message
}

/** The name of a setting in a `Config`. */
export function camelCase(name: string): string {
  return name.toLowerCase().replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}
