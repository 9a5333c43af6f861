"""The pages for people, under ``/ui``: rendered on the server, without a build step, from assets of our own.

How to add a page
-----------------
1. **Files.** A folder (or, if it is small, a file) of its own: ``app/pages/<page>/endpoints.py`` with
   ``router = APIRouter(prefix="/ui", include_in_schema=False)``, ``views.py`` with the view model, and
   ``app/pages/templates/<page>.html``. Queries belong into the repository of the resource, not here.
2. **View model.** One pydantic model (a :class:`~trueward.wire.base.Wire`) with everything that the template shows. The
   same model is the JSON answer (``?format=json`` or ``Accept: application/json``), so it holds raw text, never markup.
3. **Endpoint.** ``async def ledger(visit: Viewing, ...) -> Response: return visit.show("ledger.html", view)``, where
   ``Viewing = Annotated[Visit, Depends(visitor("view"))]``. ``visitor`` finds who asks (cookie, header, or keyless),
   checks the scope, and for POST, PUT and DELETE the form's token and the sending site. ``visit.form(Model)`` reads a
   posted form. Raise the errors of :mod:`trueward.errors`: browsers get them as a page, htmx as a notice, others as
   a problem document.
4. **Template.** ``{% extends "layout.html" %}`` with the blocks ``title`` and ``main``; exactly one ``h1``. Forms begin
   with ``{{ token_field() }}``. Assets are named by ``{{ asset("file.js") }}``. Draw with
   ``{{ drawn(figure, "name") }}`` (SVG on the server, :mod:`audits.figures.figure`); uPlot is for live series only.
   No ``style=``, no ``<style>``, no inline script, no ``on...=``, no ``hx-on``: the policy forbids them.
5. **What strangers wrote** (samples, ids, names, reasons, evidence) goes through :mod:`app.pages.inert` alone:
   ``{{ text | inert_line }}`` in a line, ``{{ text | inert }}`` in a block, ``{{ text | prose }}`` for Markdown with
   mathematics and code, ``{{ value | inert_json }}``, and the macro ``block`` of ``inert.html`` for long texts with
   "show more". A sample is shown by the macro ``texts`` of ``told.html`` alone, of what
   :func:`app.pages.sample.view.told` tells of it.
   A bare ``{{ text }}`` is escaped as well; ``| safe`` and ``Markup(...)`` are for what :mod:`app.pages` itself made.
6. **Entry.** One line in ``app/pages/registry.py``; the navigation shows it to whoever has its scope.
7. **Style.** Tokens and parts are in ``assets/pages.css`` (over ``audits/report/report.css``): use what is there.
   Scripts are files in ``assets/``; what they do, they do by listening on ``document``.
8. **Tests.** ``tests/pages/test_<page>.py`` with the fixtures of ``tests/pages/conftest.py``: ``site`` (a live service
   with hostile records in its ledger, shared; a module that changes much overrides it) and ``open_page`` (fails on
   console errors and violations of the policy), and with ``assert_accessible(page)`` in light and dark and
   ``assert_inert(page)``. Pages that list what strangers named are inert with ``tests/pages/hostile.py`` in the ledger.
   Add the page to ``tests/pages/screenshots.py``. Playwright's synchronous driver occupies the event loop: no
   ``async def`` tests in a module that has browser tests.
"""
