import { posix, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineMdastPlugin } from 'satteri'

/** A symbolic link to the folder `docs` of the repository. */
const pages = fileURLToPath(new URL('content/docs/', import.meta.url))

const code = (value: string) => ({ type: 'inlineCode' as const, value })

/**
 * Turns the relative links of Markdown files, which work on GitHub, into links of the site.
 * A link to a file outside the site leads to the repository. Without a `repository`, its text is followed by the file's path.
 */
export const repositoryLinks = (base: string, repository: string | undefined) =>
  defineMdastPlugin({
    name: 'repository-links',
    link(node, context) {
      if (!context.fileURL || /^([a-z]+:|#|\/)/.test(node.url)) return
      const [, path = '', anchor = ''] = /^([^#]*)(#.*)?$/.exec(node.url) ?? []
      const page = posix.join('docs', relative(pages, fileURLToPath(context.fileURL)))
      const target = posix.join(posix.dirname(page), path)
      const [, slug] = /^docs\/(.+)\.md$/.exec(target) ?? []
      if (slug) context.setProperty(node, 'url', posix.join('/', base, slug, '/') + anchor)
      else if (repository) context.setProperty(node, 'url', `${repository}/${target}${anchor}`)
      else
        context.replaceNode(node, [
          ...node.children,
          { type: 'text', value: ' (' },
          code(target),
          { type: 'text', value: ')' },
        ])
    },
  })
