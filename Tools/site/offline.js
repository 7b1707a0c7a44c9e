// Search in a page that was opened from a disk. Browsers start no workers there, so the worker's script runs in a
// hidden frame.
if (location.protocol === 'file:') {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      this.frame = document.createElement('iframe')
      this.frame.hidden = true
      document.body.append(this.frame)
      const { contentWindow: scope, contentDocument: page } = this.frame
      page.open()
      page.write('<!doctype html><html><body></body></html>')
      page.close()
      const load = (source) =>
        new Promise((done, fail) => {
          const script = page.createElement('script')
          script.src = source
          script.onload = done
          script.onerror = fail
          page.body.append(script)
        })
      scope.importScripts = (...sources) =>
        sources.reduce((before, source) => before.then(() => load(source)), Promise.resolve())
      scope.postMessage = (data) => {
        const event = new MessageEvent('message', { data })
        this.dispatchEvent(event)
        this.onmessage?.(event)
      }
      this.ready = load(url)
    }

    postMessage(data) {
      this.ready.then(() => this.frame.contentWindow.dispatchEvent(new MessageEvent('message', { data })))
    }

    terminate() {
      this.frame.remove()
    }
  }
}
