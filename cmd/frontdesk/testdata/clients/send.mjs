// Makes a request with files, as a program for Node does. Prints the body, then
// the status.
//
//   TOKEN=... node send.mjs length|chunked URL FILE...
//
// length is fetch with a FormData, chunked a stream that is piped into a request
// of node:http.

import { createReadStream, openAsBlob } from 'node:fs'
import http from 'node:http'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'

const [how, url, ...paths] = process.argv.slice(2)
const authorization = 'Bearer ' + process.env.TOKEN

async function sendForm() {
  const form = new FormData()
  form.append('description', 'from Node')
  for (const path of paths) form.append('attachments', await openAsBlob(path), basename(path))
  const answer = await fetch(url, { method: 'POST', headers: { authorization }, body: form })
  return [await answer.text(), answer.status]
}

const boundary = 'a-boundary-of-node'

async function* parts() {
  yield `--${boundary}\r\nContent-Disposition: form-data; name="description"\r\n\r\nfrom Node\r\n`
  for (const path of paths) {
    yield `--${boundary}\r\nContent-Disposition: form-data; name="attachments"; filename="${basename(path)}"\r\n\r\n`
    yield* createReadStream(path)
    yield '\r\n'
  }
  yield `--${boundary}--\r\n`
}

async function sendStream() {
  const headers = { authorization, 'content-type': 'multipart/form-data; boundary=' + boundary }
  const request = http.request(url, { method: 'POST', headers })
  const answered = new Promise((resolve, reject) => request.on('response', resolve).on('error', reject))
  const [answer] = await Promise.all([answered, pipeline(Readable.from(parts()), request)])
  return [await text(answer), answer.statusCode]
}

const [body, status] = await (how === 'length' ? sendForm() : sendStream())
console.log(body)
console.log(status)
