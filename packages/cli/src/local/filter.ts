import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import ignore from 'ignore'
import type { Given as Line } from '../grammar/command.ts'
import { UsageError } from '../terminal/failures.ts'
import { absent } from './absent.ts'

const IGNORE_FILE = '.tideportignore'
/** Patterns that the library would match differently from git. */
const UNSUPPORTED = /^(?!#).*(?<!\\)\[(?:[!^]|[^\]]*\[:)/

export const filterOptions = {
  include: {
    type: 'string',
    value: 'PATTERN',
    multiple: true,
    summary: 'Include matching files that an earlier rule excludes; as the first rule, exclude all other files',
  },
  exclude: {
    type: 'string',
    value: 'PATTERN',
    multiple: true,
    summary: 'Exclude matching files and folders (.gitignore syntax); the last matching rule applies',
  },
} as const

/** Whether a name, relative to the folder and with slashes, is excluded. An excluded folder excludes its contents. */
export type Filter = (name: string, isFolder: boolean) => boolean

type Given = Line['given']

/** Command-line rules, after the rules of the folder's ignore file. Throws a `UsageError`. */
export async function openFilter(given: Given, root: string | null): Promise<Filter> {
  const text = root === null ? null : await readFile(join(root, IGNORE_FILE), 'utf8').catch(absent)
  const own = text === null ? [] : text.replace(/^\ufeff/, '').split(/\r?\n/)
  return filterOf(given, [`/${IGNORE_FILE}`, ...own])
}

export function filterOf(given: Given, lines: readonly string[], platform = process.platform): Filter {
  const typed = given.filter(([option]) => option in filterOptions)
  const rules = typed.map(([option, pattern = '']) => {
    const written = patternOf(pattern, platform)
    return option === 'include' ? `!${written}` : written
  })
  const matcher = ignore({ ignorecase: false, allowRelativePaths: true })
  const all = [...lines, ...rules].map((rule) => rule.normalize('NFC'))
  const unsupported = all.find((rule) => UNSUPPORTED.test(rule))
  if (unsupported !== undefined)
    throw new UsageError(
      `The pattern ${unsupported} has a class such as [!a], [^a], or [[:alpha:]]. List the characters instead.`,
    )
  matcher.add(all)
  const areOthersExcluded = typed[0]?.[0] === 'include'
  return (name, isFolder) => {
    const parts = name.normalize('NFC').split('/')
    let isIncluded = !areOthersExcluded
    for (const index of parts.keys()) {
      const isLast = index === parts.length - 1
      const { ignored, unignored } = matcher.test(
        parts.slice(0, index + 1).join('/') + (isLast && !isFolder ? '' : '/'),
      )
      if (ignored) return true
      isIncluded ||= unignored
    }
    return !isFolder && !isIncluded
  }
}

/**
 * Escapes a first character with a special meaning in an ignore file. On Windows, a backslash separates folders because
 * names cannot contain it.
 */
function patternOf(pattern: string, platform: NodeJS.Platform): string {
  if (pattern.trim() === '') throw new UsageError('--include and --exclude need a pattern such as "*.tmp" or "build/"')
  const written = platform === 'win32' ? pattern.replaceAll('\\', '/') : pattern
  return /^[!#]/.test(written) ? `\\${written}` : written
}
