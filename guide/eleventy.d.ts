/** What the build uses of Eleventy, which has no declarations of its own. */
declare module '@11ty/eleventy' {
  import type MarkdownIt from 'markdown-it'

  export interface UserConfig {
    setTemplateFormats(formats: readonly string[]): void
    setLibrary(name: 'md', library: MarkdownIt): void
    addFilter(name: string, filter: (text: string) => string): void
    addGlobalData(name: string, data: unknown): void
    addTemplate(virtualPath: string, content: string, data: Record<string, unknown>): void
  }

  // biome-ignore lint/style/noDefaultExport: it is what the package exports
  export default class Eleventy {
    constructor(
      input: string,
      output: string,
      options: { quietMode: boolean; config: (config: UserConfig) => object },
    )
    write(): Promise<unknown>
  }
}
