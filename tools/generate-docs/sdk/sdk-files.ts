import type { Endpoint } from '@tideport/contracts/endpoint/endpoint'
import { errorDetails, errorStatus } from '@tideport/contracts/endpoint/errors'
import { type JsonSchema, openSchemaBook } from '@tideport/contracts/openapi/json-schema'
import { api } from '@tideport/contracts/public/api'
import { contentQuery } from '@tideport/contracts/public/content'
import { openedLink } from '@tideport/contracts/public/link-access'
import { eventTypes, payloads } from '@tideport/contracts/public/webhook-payload'
import { callText, type ShapeBook } from './call-text.ts'
import { comment, typeName, typeText } from './type-text.ts'

const heading = '// Generated from packages/contracts by `npm run generate`. Do not edit.\n'

/** The generated part of the SDK: types, a function per endpoint, and a class per error. */
export function sdkFiles(directory: string): Record<string, string> {
  const book = openSchemaBook()
  const shapes = new Map<string, string>()
  const shapeBook: ShapeBook = { book, name: (name, schema) => nameShape(shapes, name, schema) }
  const calls = Object.entries<Endpoint>(api)
    // upload() calls these endpoints.
    .filter(([, endpoint]) => !endpoint.takesBytes)
    // These endpoints return pages for people.
    .filter(([, endpoint]) => !('page' in endpoint.success))
    .map(([id, endpoint]) => callText(id, endpoint, shapeBook))
  // The response that programs get instead of a page.
  book.answer(openedLink)
  const payloadsText = eventTypes.map((event) => eventText(event, book.answer(payloads[event])))
  const components = Object.entries(book.components).map(([id, schema]) => declaration(typeName(id), schema))
  return {
    [`${directory}/generated/shapes.ts`]: `${heading}\n${[...components, ...shapes.values()].toSorted().join('\n')}`,
    [`${directory}/generated/events.ts`]: eventsPage(payloadsText, Object.keys(book.components)),
    [`${directory}/generated/calls.ts`]: callsPage(calls, [
      ...Object.keys(book.components).map(typeName),
      ...shapes.keys(),
    ]),
    [`${directory}/errors/generated/error-classes.ts`]: errorsPage(book),
  }
}

function nameShape(shapes: Map<string, string>, name: string, schema: JsonSchema): string {
  if (typeof schema.$ref === 'string') return typeText(schema)
  shapes.set(name, declaration(name, schema))
  return name
}

function declaration(name: string, schema: JsonSchema): string {
  return `${comment(schema.description)}export type ${name} = ${typeText(schema)}\n`
}

function importOf(text: string, names: string[]): string {
  const used = names.filter((name) => new RegExp(`\\b${name}\\b`).test(text)).toSorted()
  return `import type {\n${used.map((name) => `  ${name},\n`).join('')}} from './shapes.ts'\n`
}

function callsPage(calls: string[], names: string[]): string {
  const text = calls.join('\n')
  return `${heading}\nimport { bytesCall, call, listCall } from '../client/call.ts'\n${importOf(text, names)}\n${text}\n${contentText()}`
}

/** Query fields of an upload in one call, in addition to name and type. */
function contentText(): string {
  const names = Object.keys(contentQuery.shape).map((name) => `'${name}'`)
  return `/** Fields of an upload in one call. */\nexport const contentFields = [${names.join(', ')}] as const\n`
}

function eventText(event: string, schema: JsonSchema): string {
  return `  '${event}': ${typeText(schema)} & { event: '${event}' }\n`
}

function eventsPage(events: string[], components: string[]): string {
  const text = `/** The body of each event. */\nexport interface EventBodies {\n${events.join('')}}\n`
  return `${heading}\n${importOf(text, components.map(typeName))}\n${text}`
}

function errorsPage(book: ShapeBook['book']): string {
  const typed = Object.entries(errorDetails).map(([code, schema]): [string, string] => [code, typeText(book.answer(schema), '  ')]) // biome-ignore format: one chain
  const detailed = new Set(typed.map(([code]) => code))
  const codes = Object.entries(errorStatus).map(([code, status]) => ({ code, status, name: className(code) }))
  const classes = codes.map(
    ({ code, status, name }) =>
      `/** \`${code}\` (${status}) */\nexport class ${name} extends ApiError {\n  declare readonly code: '${code}'\n${detailed.has(code) ? `  declare readonly details: ErrorDetails['${code}'] | null\n` : ''}}\n`,
  )
  const table = codes.map(({ code, name }) => `  ${code}: ${name},\n`).join('')
  const words = codes.map(({ code }) => `  | '${code}'\n`).join('')
  return [
    heading,
    "import { ApiError } from '../api-error.ts'\n",
    `/** Every code of this version. A newer service may return others, which are plain \`ApiError\`s. */\nexport type ErrorCode =\n${words}`,
    `/** \`details\` of an error, by its code; missing if the caller may not read the object. */\nexport interface ErrorDetails {\n${typed.map(([code, text]) => `  ${code}: ${text}\n`).join('')}}\n`,
    ...classes,
    `/** An error of a known code, with typed \`details\`. */\nexport type KnownError =\n${codes.map(({ name }) => `  | ${name}\n`).join('')}`,
    `export const errorClasses: Record<string, typeof ApiError> = {\n${table}}\n`,
  ].join('\n')
}

/** `not_found` → `NotFoundError`. */
const className = (code: string): string =>
  `${code.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())}Error`
