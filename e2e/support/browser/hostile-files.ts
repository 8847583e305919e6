export type HostileFile = { mimeType: string; bytes: Buffer }

/** Files whose bytes are programs. `program` creates the program from the MIME type, which is also its name. */
export function hostileFiles(program: (what: string) => string): HostileFile[] {
  return kinds.flatMap(({ body, mimeTypes }) =>
    mimeTypes.map((mimeType) => {
      // Unique bytes, so each file has its own blob.
      const text = body(program(mimeType)).replace('NUMBER', crypto.randomUUID())
      return { mimeType, bytes: Buffer.from(text) }
    }),
  )
}

const html = (script: string) => `<html><!-- NUMBER --><script>${script}</script></html>`
const xhtml = (script: string) =>
  `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><!-- NUMBER --><script><![CDATA[${script}]]></script></html>`
const svg = (script: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" onload="${script}"><!-- NUMBER --><script><![CDATA[${script}]]></script></svg>`
/** An XML document whose own style sheet turns it into a page with a program. */
const xslt = (script: string) => `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="#style"?>
<!DOCTYPE doc [<!ATTLIST xsl:stylesheet id ID #REQUIRED>]><doc><!-- NUMBER -->
<xsl:stylesheet id="style" version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template match="/">
<html><script>${script}</script></html></xsl:template></xsl:stylesheet></doc>`
const utf7 = (script: string) => `+ADw-html+AD4-NUMBER+ADw-script+AD4-${script}+ADw-/script+AD4-`
const mhtml = (script: string) => `MIME-Version: 1.0\r\nContent-Type: text/html\r\n\r\n${html(script)}`
const javascript = (script: string) => `/* NUMBER */ ${script}`

const kinds: { body: (script: string) => string; mimeTypes: string[] }[] = [
  {
    body: html,
    mimeTypes: [
      'text/html',
      'TEXT/HTML',
      'text/html;charset=utf-8',
      'text/html; x="image/png"',
      'text/plain',
      'text/plain;charset=utf-8',
      'text/plain; x="text/html"',
      'text/xsl',
      'image/png',
      'image/gif; x="text/html"',
      'audio/mpeg',
      'audio/x+xml',
      'video/mp4',
      'application/octet-stream',
      'application/unknown',
      'unknown/unknown',
      'x-a/x-b',
    ],
  },
  { body: (script) => `%PDF-1.7\n${html(script)}`, mimeTypes: ['application/pdf'] },
  { body: svg, mimeTypes: ['image/svg+xml', 'image/svg+xml; charset=utf-8', 'video/x+xml'] },
  { body: xhtml, mimeTypes: ['application/xhtml+xml', 'application/xml'] },
  { body: xslt, mimeTypes: ['text/xml'] },
  { body: utf7, mimeTypes: ['text/html;charset=utf-7', 'text/plain;charset=utf-7'] },
  { body: mhtml, mimeTypes: ['message/rfc822'] },
  { body: javascript, mimeTypes: ['text/javascript', 'application/javascript', 'module/javascript'] },
]
