"""Talks to `unspool mcp` with the official client of the Model Context Protocol: scripts/protocol.mjs.

    protocol.py UNSPOOL FIXTURES

Prints the number of calls. Fails at the first answer that is not as expected.
"""

import asyncio
import base64
import json
import os
import sys
import tempfile
import time

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

ENDLESS = 'with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n'


async def talk(unspool: str, fixtures: str) -> int:
    calls = 0
    with tempfile.TemporaryDirectory() as other:
        root = os.path.join(other, 'root')
        os.symlink(fixtures, os.path.join(other, 'linked'))
        os.mkdir(root)
        for name in ('xray/threads.xray', 'xray/copies.xray', 'apitrace/scene.trace', 'frames/calls.frames'):
            with open(os.path.join(fixtures, name), 'rb') as source, open(os.path.join(root, os.path.basename(name)), 'wb') as copy:
                copy.write(source.read())
        secret = os.path.join(other, 'secret.xray')
        os.link(os.path.join(root, 'threads.xray'), secret)
        os.symlink(secret, os.path.join(root, 'link.xray'))
        os.symlink(os.path.join(other, 'linked'), os.path.join(root, 'folder'))
        # An archive, so that a path goes on within a file.
        server = StdioServerParameters(command=unspool, args=['mcp', root, '--timeout', '2'])
        async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
            hello = await session.initialize()
            assert (getattr(hello, 'serverInfo', None) or hello.server_info).name == 'unspool', hello
            tools = {tool.name for tool in (await session.list_tools()).tools}
            assert tools == {'open', 'info', 'stats', 'find', 'sql', 'compare', 'details', 'state', 'picture'}, tools

            async def call(name: str, **args: object) -> tuple[bool, list]:
                nonlocal calls
                calls += 1
                answer = await session.call_tool(name, args)
                failed = answer.isError if hasattr(answer, 'isError') else answer.is_error
                return bool(failed), answer.content

            async def ask(name: str, **args: object) -> dict:
                failed, content = await call(name, **args)
                assert not failed, (name, args, content)
                assert len(content[-1].text) < 40_000, (name, args)
                return json.loads(content[-1].text)

            async def refused(name: str, **args: object) -> str:
                failed, content = await call(name, **args)
                assert failed, (name, args, content)
                return content[0].text

            # What is there, and what takes the time.
            opened = await ask('open', path='threads.xray')
            assert opened['format'] == 'xray' and opened['next'], opened
            info = await ask('info', path='threads.xray')
            assert info['slices'] == opened['slices'] > 0
            stats = await ask('stats', path='threads.xray', limit=2)
            assert len(stats['functions']) == 2 < stats['total'] and 'left_out' in stats, stats
            found = await ask('find', path='threads.xray', expression='depth:0', limit=3)
            assert found['total'] >= found['listed'] == len(found['hits']), found
            at = found['hits'][0]['start']
            details = await ask('details', path='threads.xray', at=at)
            assert any(slice['start'] == at for slice in details['slices']), details
            tables = await ask('sql', path='threads.xray')
            assert 'named_slices' in tables['tables'] and 'records' in tables['tables']
            rows = await ask('sql', path='threads.xray', statement='select count(*) as slices from slices')
            assert rows['rows'] == [{'slices': info['slices']}], rows
            records = await ask('sql', path='threads.xray', statement='select count(*) as n from records join fields on record = id')
            assert records['rows'][0]['n'] > 0
            compared = await ask('compare', a='threads.xray', b='copies.xray', limit=2)
            assert compared['sentence'] and len(compared['functions']) <= 2, compared

            # Pictures.
            for path, kind in (('threads.xray', 'timeline'), ('threads.xray', 'flame')):
                failed, content = await call('picture', path=path, kind=kind)
                assert not failed and content[0].type == 'image', content
                assert base64.b64decode(content[0].data).startswith(b'\x89PNG'), kind
                assert 'left_out' in json.loads(content[1].text)
            assert 'only the page replays' in await refused('picture', path='scene.trace', kind='frame')

            # Other formats.
            gl = await ask('state', path='scene.trace', at=30)
            assert gl['call'] == 30 and gl['parameters'], gl
            state = await ask('state', path='calls.frames', at=9)
            assert 'RSP' in state['registers'], state
            assert 'does not say' in await refused('state', path='threads.xray', at=1)

            # What is refused.
            for path in (secret, '../secret.xray', 'link.xray', 'folder/xray/threads.xray', '/etc/passwd', '-', '.'):
                assert 'no such file below' in await refused('open', path=path), path
            assert 'no such file below' in await refused('open', path='threads.xray', binaries=['/bin/sh'])
            for statement in ('delete from slices', f"attach '{secret}' as x", 'vacuum', '/* */ drop table slices', 'pragma query_only'):
                assert 'Only questions' in await refused('sql', path='threads.xray', statement=statement), statement
            written = await refused('sql', path='threads.xray', statement='with x as (select 1) delete from slices')
            assert 'readonly' in written, written
            await refused('sql', path='threads.xray', statement='select 1; select 2')
            began = time.monotonic()
            assert 'cut off after 2 s' in await refused('sql', path='threads.xray', statement=ENDLESS)
            assert time.monotonic() - began < 30
            await refused('find', path='threads.xray', expression='dur>1mz')
            await refused('stats', path='threads.xray', surprise=1)

            # All of that has closed nothing.
            again = await ask('sql', path='threads.xray', statement='select count(*) as slices from slices')
            assert again == rows
    return calls


print(asyncio.run(talk(sys.argv[1], os.path.abspath(sys.argv[2]))), 'calls')
