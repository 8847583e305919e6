import type { Context } from './context.ts'

/** `--name`, in camelCase in code and in kebab-case on the line. */
export interface OptionSpec {
  type: 'boolean' | 'string'
  summary: string
  short?: string
  /** What stands for the value in help: `FILE`. */
  value?: string
  /** Values other than these are refused. */
  choices?: readonly string[]
  multiple?: true
  /** The value is a path of this machine, for completion. */
  isPath?: true
}

/** What stands without a dash, in the order of the keys. */
export interface ArgumentSpec {
  summary: string
  optional?: true
  /** The last one alone; one at least unless it is optional. */
  many?: true
  isPath?: true
}

type OptionValue<O extends OptionSpec> = O['type'] extends 'boolean'
  ? boolean
  : O extends { multiple: true }
    ? string[]
    : O extends { choices: readonly (infer Choice)[] }
      ? Choice | undefined
      : string | undefined

type ArgumentValue<A extends ArgumentSpec> = A extends { many: true }
  ? string[]
  : A extends { optional: true }
    ? string | undefined
    : string

type Input<A, O> = { [K in keyof A]: A[K] extends ArgumentSpec ? ArgumentValue<A[K]> : never } & {
  [K in keyof O]: O[K] extends OptionSpec ? OptionValue<O[K]> : never
}

/** Options as they stand on the line, where their order matters. */
export interface Given {
  given: readonly (readonly [option: string, value: string | undefined])[]
}

/** One command: from this parsing, help, completion and the manual page are made. */
export interface Command {
  /** One word, or two: `vaults create`. */
  name: string
  summary: string
  /** What the summary cannot say: for help and the manual. */
  description?: string
  arguments: Readonly<Record<string, ArgumentSpec>>
  options: Readonly<Record<string, OptionSpec>>
  run(input: never, context: Context): Promise<void>
}

/** Ties what a command takes to what it is given. */
export function command<
  const A extends Readonly<Record<string, ArgumentSpec>> = Record<never, never>,
  const O extends Readonly<Record<string, OptionSpec>> = Record<never, never>,
>(spec: {
  name: string
  summary: string
  description?: string
  arguments?: A
  options?: O
  run(input: Input<A, O> & Given, context: Context): Promise<void>
}): Command {
  return { arguments: {}, options: {}, ...spec }
}

/** What every command takes. */
export const globalOptions = {
  json: { type: 'boolean', summary: 'Print JSON, one value per line' },
  quiet: { type: 'boolean', short: 'q', summary: 'Print only results and errors' },
  profile: { type: 'string', value: 'NAME', summary: 'Profile to use' },
  url: { type: 'string', value: 'URL', summary: 'URL of the installation' },
  help: { type: 'boolean', short: 'h', summary: 'Show help' },
} as const satisfies Record<string, OptionSpec>

/** `dryRun` as it is written on the line. */
export const flagOf = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
