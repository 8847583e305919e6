/** An export of an SDK module. Sources are formatted, so simple patterns suffice to find it. */
export interface Declaration {
  name: string
  kind: 'function' | 'const' | 'interface' | 'type' | 'class'
  docs: string
  /** After the name: parameters and result, members, or the type. */
  text: string
}

const beginning =
  /(?:^\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n)?^export (?:async )?(function|const|interface|type|class)\*? (\w+)/gm

export function declarationsIn(source: string): Declaration[] {
  return [...source.matchAll(beginning)].map((found) => {
    const [whole, docs = '', kind, name] = found as unknown as [string, string | undefined, Declaration['kind'], string]
    return { name, kind, docs: proseOf(docs), text: extentOf(source.slice(found.index + whole.length), kind) }
  })
}

/** A docstring on one line, without asterisks. */
export const proseOf = (docs: string): string => docs.replaceAll(/\s*\n?\s*\* ?|\s+/g, ' ').trim()

/** The rest of a declaration; a function without its body. */
function extentOf(rest: string, kind: Declaration['kind']): string {
  let depth = 0
  for (let at = 0; at < rest.length; at++) {
    const letter = rest[at] as string
    if (kind === 'function' && letter === '{' && depth === 0) return rest.slice(0, at).trim()
    if ('({['.includes(letter)) depth++
    if (')}]'.includes(letter)) depth--
    if (depth !== 0) continue
    if ((kind === 'interface' || kind === 'class') && letter === '}') return rest.slice(0, at + 1).trim()
    if (kind !== 'function' && letter === '\n' && !/^\n\s+\S/.test(rest.slice(at))) return rest.slice(0, at).trim()
  }
  return rest.trim()
}

export interface Member {
  name: string
  type: string
  isMethod: boolean
  docs: string
}

/** First-level members of an interface or object type. */
export function membersOf(text: string): Member[] {
  const body = text.slice(text.indexOf('{') + 1, text.lastIndexOf('}'))
  const members: Member[] = []
  const member = /^ {2}(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n {2})?(?:readonly )?([\w$]+\??)(:|\()/gm
  for (const found of body.matchAll(member)) {
    const [whole, docs = '', name = '', mark] = found
    const start = found.index + whole.length - (mark === '(' ? 1 : 0)
    const until = body.slice(start).search(/\n {2}(?=\S)(?![)}\]|&])|$(?![\s\S])/)
    const type = body
      .slice(start, start + until)
      .replaceAll(/\/\*\*(?:(?!\*\/)[\s\S])*\*\//g, '')
      .replaceAll(/\s+/g, ' ')
      .trim()
    members.push({ name, type, isMethod: mark === '(', docs: proseOf(docs) })
  }
  return members
}
